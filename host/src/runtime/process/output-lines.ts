import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that are shown. */
const longest = 1000;
/** Lines in a second that are shown. */
const linesPerSecond = 50;

/**
 * Cuts what a plugin prints into lines. Memory is bounded whatever it prints, with or without line ends: the rest of a long line, and
 * the lines above the limit of a second, are counted, and one line reports the count.
 */
export class OutputLines {
  readonly #take: (line: string) => void;
  readonly #now: () => number;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';
  /** Characters of the line that are left out. */
  #rest = 0;
  #second = 0;
  #lines = 0;
  /** Lines of the second that are left out. */
  #leftOut = 0;

  /** `now` gives milliseconds. */
  constructor(take: (line: string) => void, now: () => number = () => performance.now()) {
    this.#take = take;
    this.#now = now;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    for (let from = 0; from < text.length;) {
      const newline = text.indexOf('\n', from);
      this.#add(text, from, newline < 0 ? text.length : newline);
      if (newline < 0) return;
      this.#finish();
      from = newline + 1;
    }
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#line !== '') this.#finish();
    this.#reportLeftOut();
  }

  #add(text: string, from: number, to: number): void {
    const fits = Math.min(to - from, longest - this.#line.length);
    // Joined, so that what is held is not a part of the whole chunk.
    if (fits > 0) this.#line += text.slice(from, from + fits);
    this.#rest += to - from - Math.max(fits, 0);
  }

  #finish(): void {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    const rest = this.#rest;
    this.#line = '';
    this.#rest = 0;
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
      this.#reportLeftOut();
    }
    if (++this.#lines > linesPerSecond) this.#leftOut++;
    else this.#take(rest === 0 ? line : `${line}… (${rest} characters more were left out)`);
  }

  #reportLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.#take(`${this.#leftOut} lines were left out: it prints too much`);
    this.#leftOut = 0;
  }
}
