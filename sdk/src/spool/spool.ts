import { Queue, sizeInMemory, type Entry } from './queue.ts';
import { encodedSize, maxKeyLength, type SpoolRecord } from './record.ts';
import type { Segment } from './segment.ts';
import { isFull, Segments, type Place } from './segments.ts';

export interface SpoolOptions {
  /** A folder of the spool's own, for example `join(context.dataDir, 'spool')`. It is made when it is needed. */
  readonly folder: string;
  /** Bytes that may wait in memory; room for the largest record twice is always given. */
  readonly memory: number;
  /** Bytes that may wait on disk. With 0 nothing is written, but what lies there from earlier is still handed out. */
  readonly disk: number;
  /** How old a record may become in memory alone, in milliseconds: what a killed process loses. Default 1000. */
  readonly flushInterval?: number;
  /** There may be new records to take, or the files have become smaller. */
  readonly onReady: () => void;
  /** Records are lost; the reason completes "… because". */
  readonly onLost: (records: number, reason: string) => void;
  /** The disk failed; the sentence says how. Called at every failed attempt, which is at most once per flush interval. */
  readonly onError: (sentence: string) => void;
}

/** Failed attempts to read a file before its records are given up. */
const readAttempts = 5;

/**
 * Store-and-forward: the records that a receiver has not confirmed, oldest first, in bounded memory and then on bounded disk.
 * When both are full the oldest are dropped and counted. While the receiver confirms records before they are a flush interval
 * old, nothing is written. What is older is on the disk and survives a killed process and a loss of power; the next spool
 * that opens the folder hands it out again. A record may be handed out twice, after a restart or when a confirmation came too
 * late.
 *
 * `take` gives all records in their order. What waited while there was no receiver is the backlog; what was pushed since is live. An app
 * that wants live records not to wait for a long backlog takes the two apart, and live ones then overtake.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #interval: number;
  readonly #queue = new Queue();
  readonly #segments: Segments;
  readonly #wanted = { flush: false, read: false, save: false };
  #online = false;
  #closed = false;
  /** Sequence of the last record. */
  #last = 0;
  /** Records that are out and that the disk has. */
  #outStored = 0;
  /** The last record of the disk that was taken. */
  #takenUpTo = 0;
  #savedUpTo = 0;
  #failing = false;
  #readFailures = 0;
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: SpoolOptions) {
    this.#options = options;
    this.#interval = options.flushInterval ?? 1000;
    this.#segments = new Segments(options.folder, options.disk);
  }

  /** Takes over what an earlier spool left in the folder. Never rejects: without its disk a spool lives in memory. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(options);
    try {
      const { last, done, lost, damaged } = await spool.#segments.recover();
      spool.#last = last;
      spool.#takenUpTo = done;
      spool.#savedUpTo = done;
      if (lost > 0) options.onLost(lost, 'their files are damaged');
      if (damaged > 0) options.onError(`${damaged} bytes amid the stored records are damaged and left out.`);
      if (options.disk > 0) await spool.#makeRoom(0);
    } catch (error) {
      spool.#report('The store could not be opened', error);
    }
    return spool;
  }

  /** The sequence of the newest record; 0 when there has never been one. */
  get last(): number {
    return this.#last;
  }

  /** Records that are not out. */
  get waiting(): number {
    return this.backlog + this.#queue.live;
  }

  /** Records that waited for a receiver and are not out. */
  get backlog(): number {
    return this.#segments.remaining - this.#outStored + this.#queue.held;
  }

  /** Records of these that are in memory, the live ones included. */
  get inMemory(): number {
    return this.#queue.held + this.#queue.live;
  }

  /** Records that were taken and not confirmed. */
  get inFlight(): number {
    return this.#queue.inFlight.size;
  }

  /** Bytes of the files. */
  get bytesOnDisk(): number {
    return this.#segments.bytes;
  }

  /**
   * Undefined when there is room in memory. Otherwise resolves when records were moved to the disk. A caller that pushes much awaits it
   * before the next push, because the oldest records in memory are dropped when they do not fit.
   */
  get drained(): Promise<void> | undefined {
    if (!this.#isCrowded() || this.#options.disk === 0 || this.#failing || this.#closed) return undefined;
    this.#wanted.flush = true;
    return this.#kick();
  }

  /** Adds a record. The data must not be changed afterwards. */
  push(key: string, data: Uint8Array): void {
    const { memory, disk, onLost } = this.#options;
    const size = sizeInMemory(key, data);
    const stored = encodedSize(key, data);
    if (this.#closed) return onLost(1, 'the node has stopped');
    if ((disk > 0 ? stored > disk : size > memory) || stored - data.length > maxKeyLength)
      return onLost(1, 'they are larger than all the room');
    let dropped = 0;
    while (this.#queue.bytes + size > Math.max(memory, 2 * size) && this.#queue.drop()) dropped++;
    this.#queue.push({ sequence: ++this.#last, key, data }, this.#online);
    if (dropped > 0) onLost(dropped, 'the memory is full');
    void this.drained;
    this.#arm();
  }

  /**
   * Takes the oldest record of all. Undefined when there is none, or when it is still being read: `onReady` follows, and nothing younger is
   * handed out before.
   */
  take(): SpoolRecord | undefined {
    return this.backlog > 0 ? this.takeBacklog() : this.takeLive();
  }

  /** Takes the oldest record of the backlog. Undefined when there is none, or when it is still being read: `onReady` follows. */
  takeBacklog(): SpoolRecord | undefined {
    if (this.#segments.remaining === this.#outStored) return this.#queue.takeHeld();
    const read = this.#segments.take();
    if (read === undefined) {
      this.#wanted.read = true;
      void this.#kick();
      return undefined;
    }
    const { sequence, key, data, segment, index } = read;
    this.#takenUpTo = sequence;
    this.#outStored++;
    return this.#queue.handStored({ sequence, key, data }, { segment, index });
  }

  /** Takes the oldest live record, whatever the backlog still holds. */
  takeLive(): SpoolRecord | undefined {
    return this.#queue.takeLive();
  }

  /** The receiver has the record, or refused it for good: it is done. Without effect on one that is not out. */
  acknowledge(record: SpoolRecord): void {
    const place = this.#queue.finish(record)?.place;
    if (place === undefined || place.segment.dropped) return;
    this.#outStored--;
    this.#segments.finish(place);
    if (place.segment.remaining === 0) void this.#kick();
    this.#arm();
  }

  /** There is a receiver: what is pushed from now on is live. */
  connected(): void {
    this.#online = true;
  }

  /** The receiver is gone: records that are out wait again, in their order, and the live ones behind the backlog. */
  disconnected(): void {
    this.#online = false;
    const doneUpTo = this.#doneUpTo();
    let lost = 0;
    for (const { place } of this.#queue.release()) {
      if (place?.segment.dropped) lost++;
      else place?.segment.setPassed(place.index, false);
    }
    if (this.#outStored > 0) {
      this.#takenUpTo = doneUpTo;
      this.#segments.rewind();
    }
    this.#outStored = 0;
    if (lost > 0) this.#options.onLost(lost, 'the disk is full');
    this.#arm();
  }

  /** Stores what is not confirmed, if there is a disk, and ends. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.disconnected();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wanted.flush = this.#options.disk > 0;
    this.#wanted.save = true;
    await this.#kick();
    try {
      await this.#segments.close();
    } catch (error) {
      this.#report('The store could not be closed', error);
    }
    if (this.#queue.held > 0) this.#options.onLost(this.#queue.held, 'the node has stopped');
  }

  /** Whether the memory is so full that records are moved to the disk at once. */
  #isCrowded(): boolean {
    return this.#queue.bytes > this.#options.memory / 2;
  }

  /** All records of the disk up to this sequence are done. */
  #doneUpTo(): number {
    let upTo = this.#takenUpTo;
    for (const { place, sequence } of this.#queue.inFlight.values())
      if (place !== undefined) upTo = Math.min(upTo, sequence - 1);
    return upTo;
  }

  /** Starts the timer when there may be something to store, read or save later. */
  #arm(delay = this.#interval): void {
    if (this.#timer !== undefined || this.#closed) return;
    const mayFlush = this.#options.disk > 0 && this.#queue.bytes > 0;
    if (!mayFlush && this.#readFailures === 0 && this.#doneUpTo() <= this.#savedUpTo) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
    }, delay);
  }

  #tick(): void {
    const rest = this.#queue.oldest + this.#interval - performance.now();
    if (this.#options.disk > 0 && rest < 1) this.#wanted.flush = true;
    if (this.#readFailures > 0) this.#wanted.read = true;
    if (this.#doneUpTo() > this.#savedUpTo) this.#wanted.save = true;
    void this.#kick();
    // The records that a flush leaves in memory are at most half an interval old.
    this.#arm(rest < 1 ? this.#interval / 2 : Math.min(rest, this.#interval));
  }

  /** Resolves when everything in `#wanted` is done. All work on the disk happens here, one step at a time. */
  #kick(): Promise<void> {
    if (this.#work !== undefined) return this.#work;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#work = promise;
    void this.#run().then(resolve);
    return promise;
  }

  async #run(): Promise<void> {
    const wanted = this.#wanted;
    for (;;) {
      if (wanted.flush) {
        wanted.flush = false;
        await this.#flush();
      } else if (wanted.read) {
        wanted.read = false;
        await this.#read();
      } else if (this.#segments.hasSpent) {
        await this.#settled(this.#segments.sweep());
      } else if (wanted.save) {
        wanted.save = false;
        await this.#save();
      } else {
        this.#work = undefined;
        return;
      }
    }
  }

  async #flush(): Promise<void> {
    let due = this.#due();
    for (;;) {
      due = due.filter(({ state }) => state !== 'gone');
      const batch = this.#segments.batch(due);
      if (batch.size === 0) return;
      try {
        await this.#makeRoom(batch.size);
        this.#stored(batch.records, await this.#segments.append(batch));
        this.#failing = false;
        due = due.slice(batch.records.length);
      } catch (error) {
        const { oldest } = this.#segments;
        // A file without a record gives no room: others have filled the disk.
        if (isFull(error) && this.#isCrowded() && oldest !== undefined && oldest.bytes > 0) {
          await this.#drop(oldest, 'the disk is full');
        } else {
          this.#failing = true;
          return this.#report('Records wait in memory alone, because the disk does not take them', error);
        }
      }
    }
  }

  /** The records that are to be stored now, in order. A working receiver will soon confirm the youngest, so they are left out. */
  #due(): Entry[] {
    const entries = this.#queue.unstored();
    if (!this.#online || this.#isCrowded()) return entries;
    const since = performance.now() - this.#interval / 2;
    return entries.filter(({ at }) => at <= since);
  }

  /** The disk has these records; some may have been confirmed or dropped while they were written. */
  #stored(entries: readonly Entry[], { segment, index }: Place): void {
    for (const [offset, entry] of entries.entries()) {
      const place = { segment, index: index + offset };
      if (entry.state === 'gone') {
        this.#segments.finish(place);
        continue;
      }
      this.#queue.store(entry, place);
      if (entry.place === undefined) continue;
      this.#outStored++;
      segment.setPassed(place.index, true);
    }
  }

  /** Drops the oldest files until `size` more bytes fit below the cap. */
  async #makeRoom(size: number): Promise<void> {
    const { oldest } = this.#segments;
    if (oldest === undefined || this.#segments.bytes + size <= this.#options.disk) return;
    await this.#drop(oldest, 'the disk cache is full');
    await this.#makeRoom(size);
  }

  async #drop(segment: Segment, reason: string): Promise<void> {
    let lost = segment.remaining;
    // A record that is out may still be confirmed; it is lost only when the receiver disconnects first.
    for (const { place } of this.#queue.inFlight.values()) {
      if (place?.segment !== segment) continue;
      lost--;
      this.#outStored--;
    }
    const removed = this.#segments.drop(segment);
    if (lost > 0) this.#options.onLost(lost, reason);
    await this.#settled(removed);
  }

  async #read(): Promise<void> {
    try {
      const lost = await this.#segments.read();
      this.#readFailures = 0;
      if (lost > 0) this.#options.onLost(lost, 'their file is damaged');
    } catch (error) {
      this.#report('Stored records could not be read', error);
      const { current } = this.#segments;
      if (++this.#readFailures === readAttempts && current !== undefined) {
        this.#readFailures = 0;
        await this.#drop(current, 'their file cannot be read');
      }
      this.#arm();
    }
    if (this.#closed || this.#readFailures > 0) return;
    if (this.#segments.hasRead || !this.#segments.hasUnread) this.#options.onReady();
    else this.#wanted.read = true;
  }

  /** A cursor that is not saved costs only repetitions after a crash, so a failure is not reported. */
  async #save(): Promise<void> {
    this.#savedUpTo = this.#doneUpTo();
    if (this.#segments.remaining > 0) await this.#segments.saveCursor(this.#savedUpTo).catch(() => undefined);
  }

  /** A file that cannot be removed only takes room and may be read again by the next run. */
  async #settled(removal: Promise<void>): Promise<void> {
    await removal.catch((error: unknown) => this.#report('A file could not be removed', error));
    if (!this.#closed) this.#options.onReady();
  }

  #report(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.onError(`${what}: ${isFull(error) ? 'the disk is full. Free some of its space' : reason}.`);
  }
}
