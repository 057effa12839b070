import { type LogLevel, NodeType } from '@tagway/schemas';
import type { GatewayPair, Log } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import type { History } from '../core/ports/history.ts';
import type { Following } from '../core/ports/telemetry.ts';
import type { OpenChannel } from './process/channel.ts';
import type { SupervisorTimes } from './runners/supervisor.ts';

/** Milliseconds. */
export const waits = {
  /** For a start to succeed or be refused; after that it goes on in the background. */
  start: 800,
  /** For an app to take other settings while it runs; then it starts anew. */
  settings: 5000,
  /** For the apps to start before drivers do, when the gateway starts. */
  apps: 10_000,
  /** For a node's run to end before the runner is ended with it, if it serves no other node. */
  stop: 2000,
  /** Beyond that for a node that writes while it stops. */
  lastWrites: 3000,
  /** For the runner to say that a node has stopped: five seconds, as long for a stop that was aborted, and the way. */
  pluginStop: 12_000,
  /** For the apps to end before drivers do, when the gateway ends. */
  appsFirst: 2000,
  /** For all runs to end when the gateway does. */
  close: 4000,
} as const;

/** What the runtime is given by the part that puts the gateway together. */
export interface RuntimeOptions {
  readonly open: OpenChannel;
  readonly log: Log;
  /** The log of a node. */
  nodeLog(node: string): Log & { fatal(message: string, fields?: object): void };
  /** What a plugin printed, without the secrets of these nodes. */
  withoutSecrets(printed: string, nodes: readonly string[]): string;
  levelOf(node: string): LogLevel;
  /** Folder below which each node has one of its own. */
  readonly nodesFolder: string;
  /** In a pair of gateways: what a node is called at both of them, and no other node anywhere. */
  pairIdOf?(node: number): string;
  /** In a pair of gateways: which these are. Undefined: there is no pair. */
  gatewaysOfPair?(): Pick<GatewayPair, 'name' | 'others'> | undefined;
  /** Keeps samples of groups that ask for it. Default: nobody does. */
  readonly history?: Pick<History, 'take' | 'changed' | 'removed'>;
  /** Follows readings to the servers of apps. Default: none is followed. */
  readonly following?: Following | undefined;
  readonly times?: SupervisorTimes;
}

/** Most tags of a group that is sent at once when a node starts; a larger one is sent as one that changed. */
export const mostAtOnce = 5000;

export const isDriver = ({ nodeType }: Plugin): boolean => nodeType === NodeType.DRIVER;
