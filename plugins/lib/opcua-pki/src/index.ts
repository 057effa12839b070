export { listenToLibrary } from './library-log.ts';
export { KeptCertificate, madeCertificate, plainName, type SubjectNames } from './kept-certificate.ts';
export { NodeCertificates, type ListOwner, type NodeCertificatesOptions } from './node-certificates.ts';
export { TrustList, type TrustListOptions } from './trust-list.ts';
export { certificateOf, keyOf, pemOf } from './x509.ts';
