declare module 'npm-registry-fetch/lib/default-opts.js' {
  const options: { readonly registry: string };
  export default options;
}
