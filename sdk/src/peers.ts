/** A client that is connected to a node which serves. */
export interface ConnectedClient {
  /** What it calls itself, or else its address. */
  readonly name: string;
  /** IP address, with its port where that helps to find it. */
  readonly address: string;
  /** Since when it is connected, in milliseconds since the epoch. */
  readonly since: number;
  /** Who logged in, in the words of the protocol; absent where nobody did. */
  readonly user?: string;
  /** Where it is connected, such as the URL of an endpoint. */
  readonly endpoint?: string;
  /** How the connection is secured, in the words of the protocol; absent where it is not. */
  readonly security?: string;
  /** How many subscriptions it has, where the protocol has them. */
  readonly subscriptions?: number;
  /** How many values it has reported to it, where the protocol has subscriptions. */
  readonly items?: number;
}

/** Where a node takes connections, for the list of what the gateway has open. */
export interface ListeningPlace {
  /** As in the settings: `0.0.0.0` for all addresses of the machine. */
  readonly host: string;
  readonly port: number;
  /** Such as `IEC 60870-5-104`. */
  readonly protocol: string;
  /** Nobody is served whose connection is not encrypted. */
  readonly isEncrypted: boolean;
  /** Not everybody who reaches the port is served: addresses, certificates or passwords decide. */
  readonly isRestricted: boolean;
  /** Some of those who are served may write to devices. */
  readonly mayWrite: boolean;
}

/** A certificate that a node shows to others, or that others have shown to it. */
export interface NodeCertificate {
  /** By which it is moved; another one than that of every other certificate of the node. */
  readonly id: string;
  /** `own`: the node shows it to others. Others are trusted, or were rejected and wait for somebody to trust them. */
  readonly state: 'own' | 'trusted' | 'rejected';
  /** Whose it is. */
  readonly of: 'node' | 'client' | 'server' | 'user';
  /** As OpenSSL prints it, in one line. */
  readonly subject: string;
  readonly issuer: string;
  /** Thumbprints in hexadecimal digits, with colons between the bytes. */
  readonly sha1: string;
  readonly sha256: string;
  /** The time in which it is valid, in milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** Who trusts it trusts every certificate that it has signed. */
  readonly authority: boolean;
  /** The certificate itself, as DER. */
  readonly content: Uint8Array;
}

/** Where people put a certificate. */
export type CertificatePlace = 'trusted' | 'rejected' | 'deleted';

/**
 * What people may look at and decide about the other sides of a running node: who is connected, and which certificates it trusts. Drivers
 * and apps have what their protocol has. Each call has ten seconds.
 */
export interface Peers {
  /** Who is connected now. A plugin with this method says "clients" among the features in its manifest. */
  clients?(): readonly ConnectedClient[] | Promise<readonly ConnectedClient[]>;
  /**
   * The certificates that the node has on its disk: its own, those that it trusts, and those that it has rejected. A plugin with this method
   * says "certificates" among the features in its manifest, and has `moveCertificate`, too.
   */
  certificates?(): readonly NodeCertificate[] | Promise<readonly NodeCertificate[]>;
  /**
   * Trusts, rejects or deletes a certificate, from the next connection on and over restarts. Connections of one that is not trusted any
   * more end. Rejects with CERTIFICATE_NOT_FOUND when the node has none of this id, or it is its own.
   */
  moveCertificate?(id: string, to: CertificatePlace): void | Promise<void>;
}
