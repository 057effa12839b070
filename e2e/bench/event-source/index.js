// A driver whose device changes its points one after the other, so many times per second as the settings say, and pushes
// every change. A value holds the number of its change, counted from 1, and when that was due:
// number × 2^17 + tenths of milliseconds of the system's monotonic clock modulo 2^17.

const now = () => Number(process.hrtime.bigint()) / 1e6;

class Changes {
  #report;
  #count;
  #rate;
  #from = now();
  #sent = 0;
  #timer;
  #over = false;

  constructor(report, count, rate) {
    this.#report = report;
    this.#count = count;
    this.#rate = rate;
  }

  /** Reports everything that is due, and comes back after a millisecond, or when more may be sent. */
  run() {
    if (this.#over) return;
    const due = Math.floor(((now() - this.#from) * this.#rate) / 1000);
    while (this.#sent < due) {
      this.#sent += 1;
      const dueAt = this.#from + (this.#sent * 1000) / this.#rate;
      const stamp = Math.floor(dueAt * 10) % 2 ** 17;
      this.#report.number(this.#sent % this.#count, this.#sent * 2 ** 17 + stamp);
      // Each point at most once per send: whether an unsent change may be replaced is not what is measured.
      if ((this.#sent === due || this.#sent % this.#count === 0) && this.#report.send() === false) {
        this.#report.drained.then(() => this.run());
        return;
      }
    }
    this.#timer = setTimeout(() => this.run(), 1);
  }

  async [Symbol.asyncDispose]() {
    this.#over = true;
    clearTimeout(this.#timer);
  }
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
      const changes = new Changes(report, points.length, context.settings.rate);
      changes.run();
      return changes;
    },
    async stop() {},
  };
}

export default {
  [Symbol.for('tagway.driver')]: true,
  create,
  checkTag: () => undefined,
};
