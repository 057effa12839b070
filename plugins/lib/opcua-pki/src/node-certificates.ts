import type { X509Certificate } from 'node:crypto';
import type { CertificatePlace, NodeCertificate } from '@tagway/sdk';
import { ErrorCode, Fault } from '@tagway/sdk';
import type { TrustList } from './trust-list.ts';

/** Whose certificates a list has. */
export type ListOwner = Exclude<NodeCertificate['of'], 'node'>;

export interface NodeCertificatesOptions {
  /** The one that the node shows to others; undefined while there is none. */
  readonly own: () => X509Certificate | undefined;
  readonly lists: readonly (readonly [of: ListOwner, list: TrustList])[];
  /** Called with what people have done, in a sentence. */
  readonly moved: (sentence: string) => void;
}

/** The certificates of a node, for people to look at, to trust, to reject and to delete. */
export class NodeCertificates {
  readonly #options: NodeCertificatesOptions;

  constructor(options: NodeCertificatesOptions) {
    this.#options = options;
  }

  all(): NodeCertificate[] {
    const own = this.#options.own();
    return [
      ...(own === undefined ? [] : [described(own, 'node', 'own')]),
      ...this.#options.lists.flatMap(([of, list]) => [
        ...list.listed('rejected').map((one) => described(one, of, 'rejected')),
        ...list.listed('trusted').map((one) => described(one, of, 'trusted')),
      ]),
    ];
  }

  /** Throws CERTIFICATE_NOT_FOUND when no list has the certificate. */
  move(id: string, to: CertificatePlace): void {
    for (const [of, list] of this.#options.lists) {
      const [owner, fingerprint = ''] = id.split('/');
      if (owner !== of) continue;
      const found = list.move(fingerprint, to);
      if (found === undefined) continue;
      this.#options.moved(
        `The certificate "${inOneLine(found.subject)}" of a ${of} with the SHA-1 fingerprint ${found.fingerprint} was ${to}.`,
      );
      return;
    }
    throw new Fault(
      ErrorCode.CERTIFICATE_NOT_FOUND,
      `This node has no certificate ${id} that could be ${to}. Its own stays where it is; the list shows the others.`,
    );
  }
}

function described(
  certificate: X509Certificate,
  of: NodeCertificate['of'],
  state: NodeCertificate['state'],
): NodeCertificate {
  const { fingerprint, fingerprint256, subject, issuer, raw, ca } = certificate;
  return {
    id: `${of}/${fingerprint256.replaceAll(':', '')}`,
    state,
    of,
    subject: inOneLine(subject),
    issuer: inOneLine(issuer),
    sha1: fingerprint,
    sha256: fingerprint256,
    from: certificate.validFromDate.getTime(),
    until: certificate.validToDate.getTime(),
    authority: ca,
    content: raw,
  };
}

function inOneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ');
}
