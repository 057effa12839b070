import type { ListeningPlace } from '@tagway/sdk';
import type { Node } from '../model.ts';
import type { State } from '../records/state.ts';

/** A place at which a node takes connections. */
export interface NodeListener extends ListeningPlace {
  readonly node: string;
  /** Other machines reach it. */
  readonly isRemote: boolean;
}

/** Where the nodes take connections now, in the order of the nodes. */
export function listenersOf(state: State): readonly NodeListener[] {
  return [...state.nodes.values()].flatMap((node) =>
    state.ports.runtime
      .places(node)
      .map((place) => ({ ...place, node: node.name, isRemote: isRemote(place) })),
  );
}

/** A sentence for the log about a place that lets more in than an operator may want; undefined where it does not. */
export function exposureOf({ name }: Node, place: ListeningPlace): string | undefined {
  const { host, port, protocol, isEncrypted, isRestricted, mayWrite } = place;
  if (!isRemote(place) || (isEncrypted && isRestricted)) return undefined;
  const who = isRestricted
    ? 'from those that its settings let in'
    : 'from everybody who reaches that address';
  const facts = [
    ...(isEncrypted ? [] : ['nothing has to be encrypted on its way']),
    ...(mayWrite ? ['it takes writes to devices'] : []),
  ];
  const how = facts.length > 0 ? `; ${facts.join(', and ')}` : '';
  return `The node "${name}" takes connections at ${host}:${port} (${protocol}) ${who}${how}.`;
}

function isRemote({ host }: ListeningPlace): boolean {
  return !/^(127\.|::1$|::ffff:127\.|localhost$)/.test(host);
}
