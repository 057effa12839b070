import { dataTypeName, type Column, type Layout } from '@tagway/sdk';
import { parseTemplate, type Part } from './parse.ts';

/** The names of a group and its driver, which a layout has. */
type GroupNames = Pick<Layout, 'driver' | 'group'>;

/** What stands in a placeholder of the group or of a tag. */
export function nameOf(name: string, app: string, layout: GroupNames, column: Column | undefined): string {
  switch (name) {
    case 'app':
      return app;
    case 'driver':
    case 'node':
      return layout.driver;
    case 'group':
      return layout.group;
    case 'tag':
      return column?.name ?? '';
    case 'address':
      return column?.address ?? '';
    case 'description':
      return column?.description ?? '';
    default:
      return column === undefined ? '' : dataTypeName(column.valueType);
  }
}

/** A template that names a place, such as a topic, a key or a table. */
export class PlaceTemplate {
  readonly #parts: readonly Part[];
  /** Whether each tag has a place of its own. */
  readonly isPerTag: boolean;

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.isPerTag = parts.some((part) => part.kind === 'name' && isTagName(part.name));
  }

  /** Why a text is no template of a place, or undefined. The sentence completes "… is not a template:". */
  static problem(text: string): string | undefined {
    const parsed = parseTemplate(text, 'place');
    return 'problem' in parsed ? parsed.problem : undefined;
  }

  /** The template of a text that has no problem. */
  static of(text: string): PlaceTemplate {
    const parsed = parseTemplate(text, 'place');
    if ('problem' in parsed) throw new Error(parsed.problem);
    return new PlaceTemplate(parsed.parts);
  }

  /**
   * The place of a group, or of one of its columns where the places are per tag. `clean` makes a name fit, such as without characters that a topic
   * cannot have; what the user wrote stays as it is.
   */
  text(app: string, layout: GroupNames, column?: Column, clean: (name: string) => string = String): string {
    return this.#parts
      .map((part) => {
        if (part.kind === 'text') return part.text;
        return part.kind === 'name' ? clean(nameOf(part.name, app, layout, column)) : '';
      })
      .join('');
  }

  /** The places of all columns of a layout; the same one for each where they are not per tag. */
  texts(app: string, layout: Layout, clean?: (name: string) => string): readonly string[] {
    if (this.isPerTag) return layout.columns.map((column) => this.text(app, layout, column, clean));
    return new Array<string>(layout.columns.length).fill(this.text(app, layout, undefined, clean));
  }
}

function isTagName(name: string): boolean {
  return name === 'tag' || name === 'address' || name === 'description' || name === 'type';
}
