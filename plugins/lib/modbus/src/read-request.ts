import type { Fault, Values } from '@tagway/sdk';
import { ReadRange } from '@tagway/sdk/link';
import { compileRows, type Item, type Row } from './decode.ts';
import { readRequest } from './protocol.ts';
import { Request } from './traffic.ts';

/** Neighbouring items of one unit and area, and the request that reads them. */
export class RequestRange extends ReadRange<Item> {
  readonly request = new ReadRequest(this);
}

/** Reads a range pass after pass, until the plan packs its ranges anew. */
export class ReadRequest extends Request {
  readonly range: RequestRange;
  /** What its items carry in a pass that does not send it; set while the device refuses them. */
  refusal: Fault | undefined;
  #rows: readonly Row[] | undefined;

  constructor(range: RequestRange) {
    const { area, start, end, items } = range;
    super(items[0]!.address.unit, readRequest(area, start, end - start));
    this.range = range;
  }

  /** Gives every item its value of the answer whose protocol data unit begins at `data[start]`. */
  decode(data: Buffer, start: number, into: Values): void {
    this.#rows ??= compileRows(this.range.items, this.range.start);
    for (const row of this.#rows) row.decode(data, start + 2, row, into);
  }

  /** Gives every item the fault. */
  fill(fault: Fault, into: Values): void {
    for (const item of this.range.items) into.fault(item.index, fault);
  }

  /** The device refuses the items. They may be why it closes the connection. */
  refused(refusal: Fault | undefined, mayClose: boolean): this {
    this.refusal = refusal;
    this.isSuspect = mayClose;
    return this;
  }
}
