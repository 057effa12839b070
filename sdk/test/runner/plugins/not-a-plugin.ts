export default { create: () => undefined };
