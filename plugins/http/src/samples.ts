import type { PreviewMessage, PreviewOf, Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import { BodyTemplate, type BoundBody } from '@tagway/store/template';
import type { Layout } from '@tagway/sdk';
import { framed } from './framing.ts';
import { Format, Framing, type Settings } from './settings.ts';

/** Makes the bodies of samples. */
export class Samples {
  readonly #node: string;
  readonly #settings: Settings;
  readonly #template: BodyTemplate | undefined;
  readonly #bound = new WeakMap<Layout, BoundBody>();

  constructor(node: string, settings: Settings) {
    this.#node = node;
    this.#settings = settings;
    if (settings.format === Format.TEMPLATE) this.#template = BodyTemplate.of(settings.template ?? '');
  }

  /** One body for a sample, or several, in order; none when nothing is due. */
  of(sample: Sample): readonly Buffer[] {
    const { format, upload_err: errors, upload_meta: meta } = this.#settings;
    if (this.#template === undefined) {
      const writer = writerOf(sample.layout);
      return format === Format.TAGS
        ? writer.tags(sample, { errors, meta })
        : writer.values(sample, { errors, meta });
    }
    let bound = this.#bound.get(sample.layout);
    if (bound === undefined)
      this.#bound.set(sample.layout, (bound = this.#template.bind(this.#node, sample.layout)));
    const bodies: Buffer[] = [];
    bound.each(sample, (body) => void bodies.push(body));
    return bodies;
  }
}

/** The requests that would be sent for a sample. */
export function preview({
  node,
  settings,
  sample,
}: PreviewOf<Settings, Record<string, unknown>>): PreviewMessage[] {
  const bodies = new Samples(node, settings).of(sample);
  if (bodies.length === 0) return [];
  const { framing, url } = settings;
  const requests = framing === Framing.ONE_BY_ONE ? bodies.map((body) => [body]) : [bodies];
  return requests.map((request) => ({
    topic: `POST ${url}`,
    payload: Buffer.concat(framed(request, framing)).toString(),
  }));
}
