export { abortable } from '../abortable.ts';
export { BackOff, type BackOffOptions } from '../back-off.ts';
export { Priority, PriorityQueue } from '../priority.ts';
export {
  askOnBus,
  Bus,
  type BusContext,
  type BusOptions,
  type BusQuestion,
  type BusRequest,
  type Progress,
  type Wire,
} from './bus.ts';
export { Dialer, type Endpoint } from './dialer.ts';
export { failureOf, type Failure, type FailureKind } from './failure.ts';
export { faultsByCode } from './faults-by-code.ts';
export { damaged, disconnected, malformed, mismatch, noResponse, outOfRange } from './faults.ts';
export { hostProblem } from './host-problem.ts';
export { Line, serialMedium, tcpMedium, type Asked, type Medium } from './line.ts';
export { Link, type LinkContext, type LinkObserver, type LinkOptions } from './link.ts';
export { LinkDriver, type PointPlan } from './link-driver.ts';
export { fanOut } from './plan/fan-out.ts';
export {
  byPlace,
  packRanges,
  splitPlace,
  type PackedRange,
  type PackOptions,
  type Range,
} from './plan/range.ts';
export { RangePlan, ReadRange, type RangePlanOptions, type RangeReader } from './plan/range-plan.ts';
export { parsePoints, ReadPlans, type PointFault } from './plan/read-plans.ts';
export { Recovery } from './plan/recovery.ts';
export { RefusalMemory } from './plan/refusal-memory.ts';
export { RetryTimer } from './plan/retry-timer.ts';
export { SilenceClock, type SilenceOptions } from './plan/silence-clock.ts';
export { soundItems, type SoundItems } from './plan/sound-items.ts';
export type { Channel, Handshake, Protocol } from './protocol.ts';
export { RequestQueue, type Request, type RequestLink, type RequestQueueOptions } from './request-queue.ts';
export { Requests, type AskOptions, type RequestsOptions } from './requests.ts';
export type { SocketTuning } from './socket.ts';
export { FrameSplitter, type FrameSink, type Framing } from './splitter.ts';
export { tcpClient, type TcpClientOptions, type TlsOptions } from './tcp-client.ts';
export type { AcceptedBounds } from './accepted-socket.ts';
export { AddressList } from './address-list.ts';
export { listenTcp, type Connected, type Listener, type ListenerTls, type ListenOptions } from './listen.ts';
export { tcpServer, type Listing, type TcpServerOptions } from './tcp-server.ts';
export { ExplainedRequests, hexTrace, type Trace } from './trace.ts';
export type { Transport, TransportEvents } from './transport.ts';
export { udp, type UdpOptions } from './udp.ts';
