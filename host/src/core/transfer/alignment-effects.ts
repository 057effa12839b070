import { isDeepStrictEqual } from 'node:util';
import { RunningState } from '@tagway/schemas';
import type { Group, Node } from '../model.ts';
import type { Launches } from '../nodes/launches.ts';
import type { State } from '../records/state.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { headOf, type NodeStep, type Steps } from './alignment-steps.ts';
import { subscriptionsOf } from './replacement.ts';

/** Resolves when the runs that were to end have ended, and those that were to begin have begun: they may need the same port or device. */
export async function takeEffect(state: State, launches: Launches, steps: Steps): Promise<void> {
  const before = new Map(steps.nodes.map(({ change: { node } }) => [node, { ...node }]));
  const rerouted = changeObjects(state, steps);
  const { runtime, logLevels } = state.ports;
  for (const { name } of steps.removed) logLevels.reset(name);
  const ended: Promise<unknown>[] = steps.removed.map((node) => runtime.forget(node));
  for (const { change, groups } of steps.nodes) {
    for (const group of change.removed) runtime.removed(group);
    for (const { group } of groups) runtime.changed(group);
  }
  for (const [app, groups] of rerouted) if (state.has(app)) runtime.routed(app, groups);
  for (const [node, { running }] of before)
    if (running === RunningState.RUNNING && node.running === RunningState.STOPPED)
      ended.push(launches.stop(node));
  await Promise.all(ended);
  const isToStart = (node: Node): boolean => {
    const old = before.get(node);
    const isOther = old?.running !== RunningState.RUNNING || !isDeepStrictEqual(old.settings, node.settings);
    return state.has(node) && node.running === RunningState.RUNNING && isOther;
  };
  // A node may have been stopped or deleted meanwhile.
  const started = await state.settle(async () => [
    Promise.all(
      [...steps.fresh, ...before.keys()]
        .filter(isToStart)
        .map((node) => launches.start(node, RunningState.READY)),
    ),
  ]);
  await Promise.all(started);
}

/** Changes the objects without waiting in between. Gives the apps whose subscriptions are others, with the groups that are new to them. */
function changeObjects(state: State, steps: Steps): Map<Node, Group[]> {
  const rerouted = new Map<Node, Group[]>();
  const groupsOf = (app: Node): Group[] => getOrMake(rerouted, app, () => []);
  const ofRemoved = steps.nodes.flatMap(({ change }) =>
    change.removed.flatMap(({ subscriptions }) => [...subscriptions.values()]),
  );
  for (const { app, group } of [
    ...steps.removed.flatMap(subscriptionsOf),
    ...ofRemoved,
    ...steps.unsubscribed,
  ]) {
    app.subscriptions.delete(group);
    group.subscriptions.delete(app);
    groupsOf(app);
  }
  for (const { name } of steps.removed) state.nodes.delete(name);
  for (const step of steps.nodes) put(step);
  for (const node of steps.fresh) state.nodes.set(node.name, node);
  for (const { name } of steps.removedTemplates) state.templates.delete(name);
  for (const template of steps.templates) state.templates.set(template.name, template);
  for (const { app, group, params } of steps.resubscribed) {
    const present = app.subscriptions.get(group);
    if (present !== undefined) present.params = params;
    groupsOf(app);
  }
  for (const subscription of steps.subscribed) {
    const { app, group } = subscription;
    app.subscriptions.set(group, subscription);
    group.subscriptions.set(app, subscription);
    groupsOf(app).push(group);
  }
  return rerouted;
}

function put({ change: { node, removed }, next, groups }: NodeStep): void {
  if (next.params !== node.params) node.problem = undefined;
  Object.assign(node, next);
  for (const { name } of removed) node.groups.delete(name);
  for (const { change, group, changed, added } of groups) {
    Object.assign(group, headOf(change.draft));
    for (const { name } of change.removed) group.tags.delete(name);
    for (const tag of changed) group.tags.set(tag.name, tag);
    for (const tag of added) group.tags.set(tag.name, tag);
    node.groups.set(group.name, group);
  }
}
