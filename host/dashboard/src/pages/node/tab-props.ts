import type { NodeEntry } from '../../api/queries.ts';

/** The properties of a tab of a node's page. */
export interface TabProps {
  readonly node: NodeEntry;
}
