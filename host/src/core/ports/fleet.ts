import type { FleetGateway } from '@tagway/schemas';

/** What another gateway says of itself: the JSON of its replies, of which nothing was looked at. */
export interface GatewayReplies {
  /** Of `GET /api/v2/version`. */
  readonly version: unknown;
  /** Of `GET /api/v2/status`. */
  readonly status: unknown;
  /** Of `GET /api/v2/node/state`. */
  readonly states: unknown;
  /** Of `GET /api/v2/alarms`; undefined where the gateway knows no alarms. */
  readonly alarms: unknown;
}

/** Another gateway, which is asked over the network. */
export interface OtherGateway {
  /** Takes two seconds at most. Rejects with a fault of the codes `GATEWAY_…`, which says nothing of what was received. */
  ask(): Promise<GatewayReplies>;
  /** Ends its connections, and what is asked of it. */
  close(): void;
}

/** How other gateways are reached. The token is in clear. */
export type OpenGateway = (gateway: FleetGateway) => OtherGateway;
