import { seen, type SeenSettings } from './changed-settings.ts';

/** What the audit has of the requests of an endpoint. */
export interface Audited<Input> {
  /**
   * Describes in the past tense what a request has changed, without who did it; the log has the same sentence. `nothing`: the endpoint
   * changes nothing.
   */
  readonly audit: ((input: Input) => string) | 'nothing';
  /** False: the log leaves the sentence out, because there would be too many, or because the core logs the change. Default true. */
  readonly isLogged?: boolean | undefined;
  /** The settings that a request may change, as they are at this moment. Throws when there are none yet. */
  readonly settings?: ((input: Input) => SeenSettings) | undefined;
}

/** The change that a well-formed request asks for. */
export interface RequestedChange {
  readonly input: unknown;
  readonly text: string;
  readonly isLogged: boolean;
  /** The settings before the change. */
  readonly before: SeenSettings | undefined;
  /** The settings at this moment. */
  readonly now: () => SeenSettings | undefined;
}

/** To be called before the change is made; undefined for an endpoint that changes nothing. */
export function requestedChange<Input>(
  { audit, isLogged = true, settings }: Audited<Input>,
  input: Input,
): RequestedChange | undefined {
  if (audit === 'nothing') return undefined;
  const now = (): SeenSettings | undefined => settings && seen(() => settings(input));
  return { input, text: audit(input), isLogged, before: now(), now };
}
