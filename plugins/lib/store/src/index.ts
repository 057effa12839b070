export { ByteWriter } from './byte-writer.ts';
export { DueRows } from './due-rows.ts';
export { Forwarder } from './forwarder.ts';
export { LimitedLog } from './limited-log.ts';
export { sendHalved } from './send-halved.ts';
export { cacheProblem, type StoreSettings } from './settings.ts';
export { type Batch, type BatchRecord, type Loss, Refusal, type Store, Unavailable } from './store.ts';
export { StoreApp } from './store-app.ts';
export { type ServerWords, type TlsFiles, tlsFilesProblem, tlsOptions, tlsProblem } from './tls.ts';
