import type { UAVariable } from 'node-opcua-address-space';

type Listener = (...values: unknown[]) => void;

/** Events and their listeners, one after the other. Never changed: a loop over it sees it as it was. */
type Listeners = readonly (string | symbol | Listener)[];

/** An emitter whose listeners stand in the place where Node keeps its own. */
interface Listening {
  _events: Listeners | undefined;
}

function add(this: Listening, event: string | symbol, listener: Listener): unknown {
  // Not by spreading, after which V8 leaves room for more.
  this._events = (this._events ?? []).concat([event, listener]);
  return this;
}

function addOnce(
  this: Listening & { off(event: string | symbol, one: Listener): void },
  event: string | symbol,
  listener: Listener,
): unknown {
  const once: Listener = (...values) => {
    this.off(event, once);
    listener.apply(this, values);
  };
  return add.call(this, event, once);
}

function remove(this: Listening, event: string | symbol, listener: Listener): unknown {
  const { _events: all = [] } = this;
  for (let at = 0; at < all.length; at += 2) {
    if (all[at] !== event || all[at + 1] !== listener) continue;
    this._events = all.length === 2 ? undefined : all.slice(0, at).concat(all.slice(at + 2));
    break;
  }
  return this;
}

function removeAll(this: Listening, event?: string | symbol): unknown {
  for (const one of event === undefined ? [] : listenersOf.call(this, event)) remove.call(this, event!, one);
  if (event === undefined) this._events = undefined;
  return this;
}

function listenersOf(this: Listening, event: string | symbol): Listener[] {
  const { _events: all = [] } = this;
  return all.flatMap((one, at) => (at % 2 === 1 && all[at - 1] === event ? [one as Listener] : []));
}

function count(this: Listening, event: string | symbol): number {
  return listenersOf.call(this, event).length;
}

function emit(this: Listening, event: string | symbol, ...values: unknown[]): boolean {
  const { _events: all } = this;
  if (all === undefined) return false;
  let isHeard = false;
  for (let at = 0; at < all.length; at += 2) {
    if (all[at] !== event) continue;
    isHeard = true;
    (all[at + 1] as Listener).apply(this, values);
  }
  return isHeard;
}

const methods = {
  on: add,
  addListener: add,
  once: addOnce,
  off: remove,
  removeListener: remove,
  removeAllListeners: removeAll,
  emit,
  listeners: listenersOf,
  listenerCount: count,
};

/** By the prototype of the library's variables. */
const prototypes = new WeakMap<object, object>();

/**
 * Has a variable keep its listeners in one small list. Node's own emitters have an object for them, with a table, even where there are
 * none: a tenth of the memory of a variable, and as much again for one that is monitored.
 */
export function keepFewListeners(node: UAVariable): void {
  const prototype = Object.getPrototypeOf(node) as object;
  let lean = prototypes.get(prototype);
  if (lean === undefined) {
    lean = Object.assign(Object.create(prototype) as object, methods);
    prototypes.set(prototype, lean);
  }
  Object.setPrototypeOf(node, lean);
  (node as unknown as Listening)._events = undefined;
}

/** Calls the listeners of a variable's value. */
export function emitValue(node: UAVariable, value: unknown): void {
  const { _events: all } = node as unknown as Listening;
  if (all === undefined) return;
  for (let at = 0; at < all.length; at += 2)
    if (all[at] === 'value_changed') (all[at + 1] as Listener).call(node, value);
}
