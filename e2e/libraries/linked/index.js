// A driver with inputs for tests, without anything of the SDK. `sum(…)` is the sum of the tags in it; a write of a sum of one tag goes to
// that tag. `count(…)` counts how often its tags have come since the start. `writer` says who wrote last, and `note` keeps what is written to
// it in the store of the node.

const connected = 2;
const writeFailed = 3001;

class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
    this.retry = true;
    Object.defineProperty(this, Symbol.for('tagway.fault'), { value: true });
  }
}

const textOf = ({ node, group, tag }) => [node, group, tag].map(encodeURIComponent).join('/');

const operandsOf = (address) =>
  Array.from(address.matchAll(/tag\("([^"]+)"\)/g), ([, text]) =>
    text.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/'),
  );

class Linked {
  #context;
  #counts = new Map();
  #writer = '';
  #note = '';

  constructor(context) {
    this.#context = context;
  }

  async start() {
    this.#note = (await this.#context.store.read()).get('note / 1') ?? '';
    this.#context.link(connected);
  }

  async read(points, into, { cause, inputs }) {
    const texts = inputs.references.map(textOf);
    const fresh = new Set(inputs.fresh);
    for (const [index, { address, id }] of points.entries()) {
      const operands = operandsOf(address).map((text) => texts.indexOf(text));
      const isFresh = operands.some((input) => fresh.has(input));
      if (cause === 'input' && !isFresh) continue;
      if (address.startsWith('count')) {
        if (isFresh) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
        into.number(index, this.#counts.get(id) ?? 0);
      } else if (address === 'writer') into.text(index, this.#writer);
      else if (address === 'note') into.text(index, this.#note);
      else {
        const failed = operands.find((input) => inputs.fault(input) !== undefined);
        if (failed !== undefined) into.fault(index, inputs.fault(failed));
        else
          into.number(
            index,
            operands.reduce((sum, input) => sum + inputs.number(input), 0),
          );
      }
    }
  }

  async write(writes, into) {
    for (const [index, { point, value, by }] of writes.entries()) {
      this.#writer = by === undefined ? 'nobody' : `${by.kind} ${by.name}`;
      if (point.address === 'note') {
        this.#note = value;
        await this.#context.store.write([['note / 1', value]]);
        into.done(index);
        continue;
      }
      const [reference] = Array.from(point.address.matchAll(/tag\("([^"]+)"\)/g), ([, text]) => text);
      if (reference === undefined) {
        into.fault(index, new Fault(writeFailed, 'It cannot be written.'));
        continue;
      }
      const [driver, group, tag] = reference.split('/').map(decodeURIComponent);
      const [fault] = await this.#context.write([{ driver, group, tag, value }], { by });
      if (fault === undefined) into.done(index);
      else into.fault(index, fault);
    }
  }

  async stop() {}
}

export default {
  [Symbol.for('tagway.driver')]: true,
  create: (context) => new Linked(context),
  checkTag: () => undefined,
};
