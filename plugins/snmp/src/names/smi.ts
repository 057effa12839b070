/** Reads MIB modules (RFC 2578 and RFC 1155): which object has which name, place and syntax. Everything else in them is left out. */

/** What a value is. `base`: a type of SMI, or `text`, `hex`, `oid`, `DateAndTime`, `TruthValue`. */
export interface Syntax {
  readonly base: string;
  /** The names of the numbers of an enumeration. */
  readonly labels?: ReadonlyMap<number, string>;
}

export interface ModuleObject {
  readonly name: string;
  /** The name of the object that it lies below, and the numbers from there. */
  readonly parent: string;
  readonly numbers: readonly number[];
  readonly syntax?: Syntax | undefined;
  readonly unit?: string | undefined;
  readonly isColumn: boolean;
}

export interface Module {
  readonly name: string;
  readonly objects: readonly ModuleObject[];
}

/** Types of text, and of bytes that are no text, by the names of their conventions. */
const conventions: Readonly<Record<string, string>> = {
  DisplayString: 'text',
  SnmpAdminString: 'text',
  PhysAddress: 'hex',
  MacAddress: 'hex',
  DateAndTime: 'DateAndTime',
  TruthValue: 'TruthValue',
  TimeStamp: 'TimeTicks',
  RowPointer: 'oid',
  AutonomousType: 'oid',
  INTEGER: 'Integer32',
  Counter: 'Counter32',
  Gauge: 'Gauge32',
  Unsigned32: 'Gauge32',
  NetworkAddress: 'IpAddress',
};

const macros = new Set([
  'OBJECT-TYPE',
  'MODULE-IDENTITY',
  'OBJECT-IDENTITY',
  'NOTIFICATION-TYPE',
  'OBJECT-GROUP',
  'NOTIFICATION-GROUP',
  'MODULE-COMPLIANCE',
  'AGENT-CAPABILITIES',
]);

const token =
  /"[^"]*"|'[^']*'[BbHh]|--(?:(?!--|[\r\n]).)*(?:--)?|::=|\.\.|[A-Za-z0-9][\w-]*|[{}()[\],;|.]|\S/g;

/** The modules of a file. */
export function parseModules(text: string): readonly Module[] {
  const tokens = (text.match(token) ?? []).filter((part) => !part.startsWith('--'));
  return new Parser(tokens).modules();
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  modules(): readonly Module[] {
    const modules: Module[] = [];
    while (this.#at < this.#tokens.length) {
      const begin = this.#tokens.indexOf('DEFINITIONS', this.#at);
      if (begin < 1) break;
      let name = begin - 1;
      // A module may have its own identifier between its name and the definitions.
      if (this.#tokens[name] === '}') while (name > 0 && this.#tokens[name] !== '{') name--;
      if (name !== begin - 1) name--;
      const start = this.#tokens.indexOf('BEGIN', begin);
      if (start < 0) break;
      this.#at = start + 1;
      modules.push({ name: this.#tokens[name]!, objects: this.#objects() });
    }
    return modules;
  }

  #objects(): readonly ModuleObject[] {
    const objects: ModuleObject[] = [];
    const types = new Map<string, Syntax>();
    /** Types that may be defined further below. */
    const pending = new Map<ModuleObject, string>();
    while (this.#at < this.#tokens.length) {
      const name = this.#take();
      if (name === 'END') break;
      if (name === 'IMPORTS' || name === 'EXPORTS') this.#skipBehind(';');
      else if (this.#peek() === 'MACRO') this.#skipBehind('END');
      else if (this.#peek() === 'OBJECT' && this.#peek(1) === 'IDENTIFIER' && this.#peek(2) === '::=') {
        this.#at += 3;
        this.#place(name, objects);
      } else if (macros.has(this.#peek() ?? '')) {
        const isObject = this.#take() === 'OBJECT-TYPE';
        const { syntax, type, unit, isRow } = this.#clauses();
        const before = objects.length;
        this.#place(name, objects, isObject && !isRow ? syntax : undefined, unit);
        const made = objects[before];
        if (made !== undefined && syntax === undefined && type !== undefined && isObject)
          pending.set(made, type);
      } else if (this.#peek() === 'TRAP-TYPE') this.#trap(name, objects);
      else if (this.#peek() === '::=') {
        this.#at++;
        this.#type(name, types);
      }
    }
    return objects.map((object) => {
      const type = pending.get(object);
      const syntax = type === undefined ? undefined : types.get(type);
      return syntax === undefined ? object : { ...object, syntax };
    });
  }

  /** `{ parent 1 }`, also `{ iso org(3) dod(6) 1 }`. */
  #place(name: string, into: ModuleObject[], syntax?: Syntax, unit?: string): void {
    if (this.#take() !== '{') return;
    const parent = this.#take();
    const numbers: number[] = [];
    for (let part = this.#take(); part !== '}' && part !== ''; part = this.#take())
      if (/^\d+$/.test(part)) numbers.push(Number(part));
    if (/^[A-Za-z]/.test(parent) && numbers.length > 0)
      into.push({ name, parent, numbers, syntax, unit, isColumn: false });
  }

  /** The clauses of a macro up to `::=`. */
  #clauses(): {
    syntax?: Syntax | undefined;
    type?: string | undefined;
    unit?: string | undefined;
    isRow: boolean;
  } {
    let syntax: Syntax | undefined;
    let type: string | undefined;
    let unit: string | undefined;
    let isRow = false;
    for (let part = this.#take(); part !== '::=' && part !== ''; part = this.#take()) {
      if (part === 'SYNTAX' && type === undefined) {
        type = this.#peek();
        isRow = type === 'SEQUENCE';
        syntax = this.#syntax();
      } else if (part === 'UNITS') unit = this.#take().slice(1, -1);
      else if (part === 'INDEX' || part === 'AUGMENTS') isRow = true;
    }
    return { syntax, type, unit, isRow };
  }

  /** Undefined for a type that is not known, which may be defined further below. */
  #syntax(): Syntax | undefined {
    const type = this.#take();
    if (type === 'OCTET' || type === 'OBJECT') this.#at++;
    const base = baseOf(type);
    if (this.#peek() !== '{' || type === 'SEQUENCE') return base === undefined ? undefined : { base };
    this.#at++;
    const labels = new Map<number, string>();
    for (let part = this.#take(); part !== '}' && part !== ''; part = this.#take())
      if (this.#peek() === '(' && /^-?\d+$/.test(this.#peek(1) ?? ''))
        labels.set(Number(this.#peek(1)), part);
    return base === 'Integer32' ? { base, labels } : { base: base ?? 'Integer32' };
  }

  /** `Name ::= TEXTUAL-CONVENTION … SYNTAX type`, or a type with another name. */
  #type(name: string, types: Map<string, Syntax>): void {
    if (this.#peek() === 'TEXTUAL-CONVENTION') {
      let isText = false;
      for (let part = this.#take(); part !== 'SYNTAX' && part !== ''; part = this.#take())
        if (part === 'DISPLAY-HINT') isText = /^"\d*[at]"$/.test(this.#take());
      const syntax = this.#syntax();
      if (syntax !== undefined) types.set(name, isText ? { base: 'text' } : syntax);
    } else if (this.#peek() === 'SEQUENCE' || this.#peek() === 'CHOICE') this.#skipBehind('}');
    else {
      // `[APPLICATION 1] IMPLICIT INTEGER` of the modules that define the types of SMI themselves.
      if (this.#peek() === '[') return;
      const syntax = this.#syntax();
      if (syntax !== undefined) types.set(name, syntax);
    }
  }

  /** A notification of version 1: its place is that of RFC 3584, section 3. */
  #trap(name: string, into: ModuleObject[]): void {
    let parent = '';
    for (let part = this.#take(); part !== '::=' && part !== ''; part = this.#take())
      if (part === 'ENTERPRISE') parent = this.#peek() === '{' ? (this.#peek(1) ?? '') : (this.#peek() ?? '');
    const number = Number(this.#take());
    if (parent !== '' && Number.isInteger(number))
      into.push({ name, parent, numbers: [0, number], isColumn: false });
  }

  #skipBehind(end: string): void {
    while (this.#at < this.#tokens.length && this.#take() !== end);
  }

  #peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }
}

function baseOf(type: string): string | undefined {
  if (type === 'OCTET') return 'OCTET STRING';
  if (type === 'OBJECT') return 'oid';
  if (/^(?:Integer32|Counter32|Counter64|Gauge32|TimeTicks|IpAddress|Opaque|BITS)$/.test(type)) return type;
  return conventions[type];
}
