// A driver whose device changes its points one after the other, so many times per second as the settings say, and pushes
// every change. A value holds the number of its change, counted from 1, and when that was due:
// number × 2^17 + tenths of milliseconds of the system's monotonic clock modulo 2^17.

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Reports `rate` changes a second, of `count` points in turn, until what it returns is disposed of. */
function change(report, count, rate) {
  const from = now();
  let sent = 0;
  let timer;
  let isOver = false;

  /** Reports everything that is due, and comes back after a millisecond, or when more may be sent. */
  function run() {
    if (isOver) return;
    const due = Math.floor(((now() - from) * rate) / 1000);
    while (sent < due) {
      sent += 1;
      const stamp = Math.floor((from + (sent * 1000) / rate) * 10) % 2 ** 17;
      report.number(sent % count, sent * 2 ** 17 + stamp);
      // Each point at most once per send: whether an unsent change may be replaced is not what is measured.
      if ((sent === due || sent % count === 0) && report.send() === false) {
        report.drained.then(run);
        return;
      }
    }
    timer = setTimeout(run, 1);
  }

  run();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function create(context) {
  return {
    async start() {
      context.link(2);
    },
    async read(points, into) {
      for (const index of points.keys()) into.number(index, 0);
    },
    watch(points, report) {
      for (const index of points.keys()) report.number(index, 0);
      report.send();
      return change(report, points.length, context.settings.rate);
    },
    async stop() {},
  };
}

export default {
  [Symbol.for('tagway.driver')]: true,
  create,
  checkTag: () => undefined,
};
