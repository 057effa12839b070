/** Test fixtures, fakes and simulators that the tests of plugins share. */
export { SerialCable, hasSocat, itWithSerialPort } from './cable.ts';
export { type Packet } from './capture.ts';
export {
  contextFor,
  definitionOf,
  fakeSequence,
  fakeStore,
  statesOf,
  fakeExclusive,
  type ContextOverrides,
  type ContextRecord,
} from './context.ts';
export { dialIn } from './dial-in.ts';
export { FrameListener, type Sender } from './frame-listener.ts';
export { FrameServer, type FrameServerOptions, type Script } from './frame-server.ts';
export { expectRecovery, fuzzProtocol, corruptAnswers } from './hostile.ts';
export { hasOpenssl, identityOf, type Identity } from './identity.ts';
export { inputsFor, type InputSetting } from './inputs.ts';
export { Library } from './library.ts';
export * from './link-cases.ts';
export { freePort, listenOn, type ListeningServer } from './listening.ts';
export { DriverFixture, fixtureWith, startFixture, startedFixture, type Peer } from './driver-fixture.ts';
export { OutcomeRecorder } from './outcome-recorder.ts';
export { pointsOf, pointsWith } from './points.ts';
export { mutate, randomOf } from './random.ts';
export { callOf, read, ValuesRecorder, readings, type Reading } from './readings.ts';
export { PersistentClient } from './persistent-client.ts';
export { PushFixture } from './push-fixture.ts';
export { checkedSettings, settingsOf } from './settings.ts';
export { ReportRecorder } from './report-recorder.ts';
export { Dissection, hasTshark, withTshark } from './tshark.ts';
export { explainedFrames, longestMeaning, type ExplainedFrame } from './explained-frames.ts';
export { until } from './until.ts';
export { expectWithoutNative } from './without-native.ts';
export { write, written, writesOf } from './writes.ts';
