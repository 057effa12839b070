/** What a client asks of a condition. */
export type ConditionMethod =
  | 'acknowledge'
  | 'confirm'
  | 'comment'
  | 'enable'
  | 'disable'
  | 'shelve'
  | 'shelve once'
  | 'unshelve'
  | 'reset'
  | 'out of service'
  | 'in service';

/** What a client asks of its subscription. */
export type RefreshMethod = 'refresh' | 'refresh item';

export interface Method {
  readonly name: ConditionMethod | RefreshMethod;
  /** What the arguments are, in their order. */
  readonly takes: readonly ('event' | 'comment' | 'time' | 'number')[];
}

/** Methods of the standard, by the numbers of their nodes: clients call them by these, whether they have browsed a condition or not. */
export const methods: ReadonlyMap<unknown, Method> = new Map<unknown, Method>([
  [3875, { name: 'refresh', takes: ['number'] }],
  [12912, { name: 'refresh item', takes: ['number', 'number'] }],
  [9027, { name: 'enable', takes: [] }],
  [9028, { name: 'disable', takes: [] }],
  [9029, { name: 'comment', takes: ['event', 'comment'] }],
  [9111, { name: 'acknowledge', takes: ['event', 'comment'] }],
  [9113, { name: 'confirm', takes: ['event', 'comment'] }],
  // Of the type of the shelf, and of the one that alarms have.
  [2947, { name: 'unshelve', takes: [] }],
  [2948, { name: 'shelve once', takes: [] }],
  [2949, { name: 'shelve', takes: ['time'] }],
  [9211, { name: 'unshelve', takes: [] }],
  [9212, { name: 'shelve once', takes: [] }],
  [9213, { name: 'shelve', takes: ['time'] }],
  [24756, { name: 'shelve', takes: ['time', 'comment'] }],
  [24758, { name: 'unshelve', takes: ['comment'] }],
  [24760, { name: 'shelve once', takes: ['comment'] }],
  [18199, { name: 'reset', takes: [] }],
  [24324, { name: 'reset', takes: ['comment'] }],
  [17869, { name: 'out of service', takes: [] }],
  [24320, { name: 'out of service', takes: ['comment'] }],
  [17870, { name: 'in service', takes: [] }],
  [24322, { name: 'in service', takes: ['comment'] }],
]);
