import { isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { encode } from './encode.ts';
import { AdsError, writeRefused } from './faults.ts';
import { formOf, plainForm, type Form } from './form.ts';
import { IndexGroup } from './protocol.ts';
import type { Sums, SumItem } from './sums.ts';
import type { SymbolTable } from './symbols.ts';

/** A write whose value was found good. */
interface Item extends SumItem {
  readonly index: number;
  readonly write: Write;
}

/** Bytes of values after which a request takes no more items. */
const fullRequest = 65_536;

/** Writes in as few sum requests as the limits allow, one after the other in the order of the writes, each with a result of its own. */
export class Writer {
  readonly #sums: Sums;
  readonly #symbols: SymbolTable;
  readonly #most: number;

  constructor(sums: Sums, symbols: SymbolTable, most: number) {
    this.#sums = sums;
    this.#symbols = symbols;
    this.#most = most;
  }

  async write(writes: readonly Write[], into: Results, options: AskOptions): Promise<void> {
    const entries = writes.map((write, index) => ({ write, index }));
    const stale = await this.#writeAll(entries, into, options, false);
    if (stale.length === 0) return;
    // Handles of a program that is no more: nothing was written with them.
    this.#symbols.renew();
    await this.#writeAll(stale, into, options, true);
  }

  /** Returns what was refused because the program has changed, unless it is the last attempt. */
  async #writeAll(
    entries: readonly { readonly write: Write; readonly index: number }[],
    into: Results,
    options: AskOptions,
    isLast: boolean,
  ): Promise<Item[]> {
    const names = entries.flatMap(({ write: { point } }) => {
      const address = parseAddress(point.address, point.type);
      return !isFault(address) && address.kind === 'symbol' ? [address.name] : [];
    });
    if (names.length > 0) await this.#symbols.resolve(names, options);
    const items: Item[] = [];
    for (const { write, index } of entries) {
      const item = this.#itemOf(write, index);
      if (isFault(item)) into.fault(index, item);
      else items.push(item);
    }
    const stale: Item[] = [];
    const { program } = this.#symbols;
    for (const part of this.#parts(items)) {
      const isCurrent = names.length === 0 || program === this.#symbols.program;
      const errors = isCurrent ? await this.#sums.write(part, options) : [];
      for (const [at, item] of part.entries()) {
        const error = errors[at] ?? AdsError.SYMBOL_VERSION_INVALID;
        if (error === 0) into.done(item.index);
        else if (error === AdsError.SYMBOL_VERSION_INVALID && !isLast) stale.push(item);
        else into.fault(item.index, writeRefused(error));
      }
    }
    return stale;
  }

  #itemOf(write: Write, index: number): Item | Fault {
    const { address: text, type } = write.point;
    const address = parseAddress(text, type);
    if (isFault(address)) return address;
    let group = 0;
    let offset = 0;
    let form: Form | Fault;
    if (address.kind === 'place') {
      ({ group, offset } = address);
      form = plainForm(type, address.size);
    } else {
      const known = this.#symbols.get(address.name) ?? writeRefused(AdsError.SYMBOL_VERSION_INVALID);
      if (isFault(known)) return known;
      [group, offset] = [IndexGroup.VALUE_BY_HANDLE, known.handle];
      form = formOf(type, known.entry);
    }
    if (isFault(form)) return form;
    const written = encode(form, write.value);
    return isFault(written) ? written : { index, write, group, offset, readLength: 0, written };
  }

  #parts(items: readonly Item[]): Item[][] {
    const parts: Item[][] = [];
    let size = 0;
    for (const item of items) {
      size += item.written.length;
      const part = parts.at(-1);
      if (part === undefined || part.length >= this.#most || size > fullRequest) {
        parts.push([item]);
        size = item.written.length;
      } else part.push(item);
    }
    return parts;
  }
}
