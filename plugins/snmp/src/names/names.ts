import { oidOf, oidText } from '../wire/oid.ts';
import { usualObjects } from './objects.ts';
import type { Module, Syntax } from './smi.ts';

/** An object, a column of a table, or a notification, that has a name. */
export interface NamedObject {
  readonly name: string;
  /** `1.3.6.1.2.1.1.3` */
  readonly oid: string;
  /** Absent for what holds no value, such as a table or a notification. */
  readonly syntax?: Syntax | undefined;
  readonly unit?: string | undefined;
  readonly isColumn: boolean;
}

/** Where everything begins (RFC 2578). */
const roots: Readonly<Record<string, string>> = {
  ccitt: '0',
  iso: '1',
  'joint-iso-ccitt': '2',
  org: '1.3',
  dod: '1.3.6',
  internet: '1.3.6.1',
  directory: '1.3.6.1.1',
  mgmt: '1.3.6.1.2',
  'mib-2': '1.3.6.1.2.1',
  experimental: '1.3.6.1.3',
  private: '1.3.6.1.4',
  enterprises: '1.3.6.1.4.1',
  security: '1.3.6.1.5',
  snmpV2: '1.3.6.1.6',
  snmpDomains: '1.3.6.1.6.1',
  snmpProxys: '1.3.6.1.6.2',
  snmpModules: '1.3.6.1.6.3',
};

/** The names of objects, and back. Those of one node are on top of those that all nodes have. */
export class Names {
  readonly #below: Names | undefined;
  readonly #byName = new Map<string, NamedObject>();
  readonly #byOid = new Map<string, NamedObject>();

  constructor(below?: Names) {
    this.#below = below;
  }

  add(object: NamedObject, module?: string): void {
    this.#byName.set(object.name, object);
    if (module !== undefined) this.#byName.set(`${module}::${object.name}`, object);
    this.#byOid.set(object.oid, object);
  }

  /** The object of a name, with or without its module before it: `ifDescr`, `IF-MIB::ifDescr`. */
  get(name: string): NamedObject | undefined {
    const own = this.#byName.get(name) ?? this.#below?.get(name);
    if (own !== undefined || !name.includes('::')) return own;
    // The names that come with the plugin stand there without their modules.
    return this.#below === undefined ? this.#byName.get(name.slice(name.indexOf('::') + 2)) : undefined;
  }

  /** The object with this identifier. */
  at(oid: string): NamedObject | undefined {
    return this.#byOid.get(oid) ?? this.#below?.at(oid);
  }

  /** The nearest named object at or above an identifier, and the numbers that follow. */
  nearest(oid: string): { readonly object: NamedObject; readonly rest: string } | undefined {
    for (let end = oid.length; end > 0; end = oid.lastIndexOf('.', end - 1)) {
      const object = this.at(oid.slice(0, end));
      if (object !== undefined) return { object, rest: oid.slice(end + 1) };
    }
    return undefined;
  }

  /** An identifier with a name as far as there is one, `ifDescr.2`; otherwise in numbers. */
  nameOf(oid: string): string {
    const found = this.nearest(oid);
    if (found === undefined || !this.#isTelling(found.object)) return oid;
    return found.rest === '' ? found.object.name : `${found.object.name}.${found.rest}`;
  }

  /** Adds the objects of modules. Returns names whose place is in none of them. */
  addModules(modules: readonly Module[]): readonly string[] {
    const placeOf = new Map<string, string>();
    const defined = new Set(
      modules.flatMap(({ name, objects }) => objects.map((one) => `${name}::${one.name}`)),
    );
    // Many modules have names such as `products`: that of the same module goes before others.
    const lookUp = (module: string, name: string): string | undefined => {
      const own = `${module}::${name}`;
      return defined.has(own) ? placeOf.get(own) : (placeOf.get(name) ?? this.get(name)?.oid);
    };
    let open = modules.flatMap((module) => module.objects.map((object) => ({ module, object })));
    for (let before = -1; open.length !== before;) {
      before = open.length;
      open = open.filter(({ module, object }) => {
        const parent = lookUp(module.name, object.parent);
        if (parent === undefined) return true;
        const oid = [parent, ...object.numbers].join('.');
        if (oidOf(oid) === undefined) return false;
        placeOf.set(object.name, oid).set(`${module.name}::${object.name}`, oid);
        const { name, syntax, unit } = object;
        const isColumn = object.isColumn || this.#isEntry(parent);
        this.add({ name, oid, syntax, unit, isColumn }, module.name);
        return false;
      });
    }
    return [...new Set(open.map(({ object }) => object.parent))];
  }

  #isTelling({ oid }: NamedObject): boolean {
    return oid.split('.').length > 7;
  }

  #isEntry(oid: string): boolean {
    return this.at(oid)?.name.endsWith('Entry') === true;
  }
}

/** The names that all nodes have. */
export const usualNames = new Names();
for (const [name, oid] of Object.entries(roots)) usualNames.add({ name, oid, isColumn: false });
for (const line of usualObjects.trim().split('\n')) {
  const [name = '', place = '', syntax, unit] = line.split(' ');
  const dot = place.indexOf('.');
  const parent = usualNames.get(place.slice(0, dot))!;
  usualNames.add({
    name,
    oid: `${parent.oid}${place.slice(dot)}`,
    syntax: syntax === undefined ? undefined : syntaxOf(syntax),
    unit,
    isColumn: parent.name.endsWith('Entry'),
  });
}

function syntaxOf(text: string): Syntax {
  if (!text.startsWith('{')) return { base: text };
  const labels = new Map<number, string>();
  for (const [, label, number] of text.matchAll(/([\w-]+)\((-?\d+)\)/g)) labels.set(Number(number), label!);
  return { base: 'Integer32', labels };
}

/** The text of an identifier that was read, by name where it has one. */
export function textOfOid(names: Names, oid: Buffer): string {
  const text = oidText(oid);
  return text === undefined ? oid.toString('hex') : names.nameOf(text);
}
