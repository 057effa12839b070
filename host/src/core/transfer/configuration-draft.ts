import type { TemplateBody } from '../templates/template-drafts.ts';
import type { NodeDraft, SubscriptionDraft } from './drafts.ts';

/** A whole configuration, as it is to be. */
export interface ConfigurationDraft {
  readonly nodes: readonly NodeDraft[];
  readonly subscriptions: readonly SubscriptionDraft[];
  /** Undefined: those that are there stay. */
  readonly templates: readonly TemplateBody[] | undefined;
}
