import { Area, Exception, FunctionCode, maxPdu } from '@tagway/modbus/server';
import type { Directory } from '../map/directory.ts';
import type { Unit } from '../map/unit.ts';
import { answerIdentification, type Identity } from './identification.ts';
import { answerPlaces, answerRead } from './reads.ts';
import { type Asker, putException } from './request.ts';
import { confirmation, writeRequestOf } from './write-request.ts';
import type { Writes } from './writes.ts';

export interface RequestsOptions {
  directory: Directory;
  readonly writes: Writes;
  readonly identity: Identity;
}

/** Answers protocol data units, wherever they come from. */
export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Another table holds from here on. */
  set directory(directory: Directory) {
    this.#options.directory = directory;
  }

  /** What is at a unit number; undefined: there is no such unit. */
  unit(number: number): Unit | undefined {
    return this.#options.directory.units.get(number);
  }

  get units(): Iterable<Unit> {
    return this.#options.directory.units.values();
  }

  /** Writes the answer to the request `data[at, end)`, which writes nothing, to `out[to]`. Returns its length. */
  answer(unit: Unit, data: Buffer, at: number, end: number, out: Buffer, to: number): number {
    const code = data[at]!;
    switch (code) {
      case FunctionCode.READ_COILS:
      case FunctionCode.READ_DISCRETE_INPUTS:
      case FunctionCode.READ_HOLDING_REGISTERS:
      case FunctionCode.READ_INPUT_REGISTERS:
        return answerRead(unit, data, at, end, out, to);
      case FunctionCode.ENCAPSULATED_TRANSPORT:
        return answerIdentification(this.#options.identity, data, at, end, out, to);
      default:
        return putException(out, to, code & 0x7f, Exception.ILLEGAL_FUNCTION);
    }
  }

  /** Carries out a request that writes. Resolves with the answer to it; `pdu` is kept until then. */
  async write(unit: Unit, pdu: Buffer, asker: Asker): Promise<Buffer> {
    const code = pdu[0]!;
    const request = writeRequestOf(pdu);
    const out = Buffer.alloc(maxPdu);
    if (typeof request === 'number') return out.subarray(0, putException(out, 0, code, request));
    const { read } = request;
    // What cannot be read does not keep from writing, but an address that is not there is known before.
    const exception =
      read !== undefined && !this.#isThere(unit, read.start, read.count)
        ? Exception.ILLEGAL_DATA_ADDRESS
        : await this.#options.writes.write(unit, request, asker);
    if (exception !== 0) return out.subarray(0, putException(out, 0, code, exception));
    if (read === undefined) return confirmation(pdu);
    return out.subarray(0, answerPlaces(unit, code, Area.HOLDING_REGISTER, read.start, read.count, out, 0));
  }

  #isThere(unit: Unit, start: number, count: number): boolean {
    const scratch = Buffer.alloc(2 * count);
    const problem = unit.area(Area.HOLDING_REGISTER).readRegisters(start, count, scratch, 0);
    return problem !== Exception.ILLEGAL_DATA_ADDRESS;
  }
}
