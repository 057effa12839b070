// Main module of a gateway that measures how long it keeps its event loop, in milliseconds of its core, so that other processes do not
// count. It says so at each SIGUSR2, of the time since the one before.
const taken = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let before = taken();
let longest = 0;
// Between two turns of the loop this is called, unless the one before took less than a millisecond.
setInterval(() => {
  const now = taken();
  longest = Math.max(longest, now - before);
  before = now;
}, 1).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(`longest turn ${longest.toFixed(1)} ms\n`);
  longest = 0;
});

const main = new URL('../../host/dist/main.js', import.meta.url);
process.argv[1] = main.pathname;
await import(main.href);
