import { recordsOf, textOf, type AlarmRecord } from './alarm-records.ts';

/** Characters of stored text from which a new piece begins. */
const pieceLength = 16_384;

/** Bounds of the journal of a node: characters of stored text, and milliseconds. */
const most = { length: 8_000_000, age: 730 * 24 * 3_600_000 } as const;

/** Transitions that follow each other and are stored under one key. */
interface Piece {
  /** Sequence of the first. */
  readonly first: number;
  readonly count: number;
  readonly text: string;
  /** When the last was recorded. */
  readonly recorded: number;
}

/** What new transitions change of the pieces of a journal. */
export interface JournalChange {
  readonly put: Piece;
  /** Sequences of the first transitions of pieces that are deleted. */
  readonly dropped: readonly number[];
}

/** The journal of the transitions of a node's alarms: pieces of text, the oldest of which go first. */
export class NodeJournal {
  /** In their order. */
  #pieces: readonly Piece[] = [];

  /** Sequence of the last transition that was recorded, 0 before there was one. */
  get last(): number {
    const newest = this.#pieces.at(-1);
    return newest === undefined ? 0 : newest.first + newest.count - 1;
  }

  /** Sequence of the oldest transition that is left. */
  get oldest(): number {
    return this.#pieces[0]?.first ?? 1;
  }

  /** What further transitions change, which follow the last one. The newest piece is never deleted, so that the sequence goes on. */
  changeOf(records: readonly AlarmRecord[]): JournalChange {
    const newest = this.#pieces.at(-1);
    const before = newest !== undefined && newest.text.length < pieceLength ? newest : undefined;
    const added = textOf(records);
    const put: Piece = {
      first: before?.first ?? this.last + 1,
      count: (before?.count ?? 0) + records.length,
      text: before === undefined ? added : `${before.text.slice(0, -1)},${added.slice(1)}`,
      recorded: records.at(-1)?.recorded ?? 0,
    };
    const others = this.#pieces.filter((piece) => piece !== before);
    let length = others.reduce((sum, { text }) => sum + text.length, put.text.length);
    const dropped: number[] = [];
    for (const { first, recorded, text } of others) {
      if (length <= most.length && put.recorded - recorded <= most.age) break;
      length -= text.length;
      dropped.push(first);
    }
    return { put, dropped };
  }

  apply({ put, dropped }: JournalChange): void {
    const gone = new Set([...dropped, put.first]);
    this.#pieces = [...this.#pieces.filter(({ first }) => !gone.has(first)), put];
  }

  /** Takes a stored piece, in any order. False: it is none. */
  take(first: number, text: string): boolean {
    const records = recordsOf(first, text);
    const last = records?.at(-1);
    if (records === undefined || last === undefined) return false;
    const piece = { first, count: records.length, text, recorded: last.recorded };
    const others = this.#pieces.filter((one) => one.first !== first);
    const place = others.findLastIndex((one) => one.first < first) + 1;
    this.#pieces = others.toSpliced(place, 0, piece);
    return true;
  }

  /** A stored piece was deleted. */
  drop(first: number): void {
    this.#pieces = this.#pieces.filter((piece) => piece.first !== first);
  }

  /** The transitions, piece by piece, the newest first; of pieces whose last was recorded at `since` or later. */
  *newestFirst(since = 0): Generator<AlarmRecord[]> {
    for (const { first, recorded, text } of this.#pieces.toReversed())
      if (recorded >= since) yield (recordsOf(first, text) ?? []).reverse();
  }

  /** The first transitions after a sequence number, `most` at most. */
  *after(sequence: number, most: number): Generator<AlarmRecord> {
    let count = 0;
    for (const piece of this.#pieces) {
      if (piece.first + piece.count - 1 <= sequence) continue;
      for (const record of recordsOf(piece.first, piece.text) ?? []) {
        if (record.sequence <= sequence) continue;
        if (count++ === most) return;
        yield record;
      }
    }
  }

  /** Sequences of the first transitions of all pieces. */
  *firsts(): Generator<number> {
    for (const { first } of this.#pieces) yield first;
  }
}
