import type { SMTPServerOptions } from 'smtp-server'
import { MINUTE_MS } from '../../platform/durations.ts'
import { listenSmtp, type SmtpListener } from '../../platform/mail/smtp-listener.ts'
import { SubmissionServer } from './submission-server.ts'
import {
  CONNECTIONS_MAX,
  isLoopback,
  type Proxies,
  type SubmissionAddress,
  type TlsFiles,
} from './submission-setting.ts'
import { MAIL_BYTES_MAX, NO_COMMANDS, type SubmissionDeps, SubmissionTalk } from './submission-talk.ts'
import { keepCertificate, readCertificate } from './tls-certificate.ts'

export type SubmissionPlace = {
  address: SubmissionAddress
  tls: TlsFiles | undefined
  proxies: Proxies | undefined
  connectionsPerToken: number
}

/** RFC 5321 section 4.5.3.2.7. */
const IDLE_TIMEOUT_MS = 5 * MINUTE_MS
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Takes in mail of programs by SMTP (RFC 6409). A mail is answered for once it is committed. Rejects when the address cannot
 * be listened on, or the certificate cannot be used.
 */
export async function startSubmission(deps: SubmissionDeps, place: SubmissionPlace): Promise<SmtpListener> {
  const { address, tls, proxies, connectionsPerToken } = place
  const certificate = tls && (await readCertificate(tls))
  const clearLogin = isLoopback(address)
  const talk = new SubmissionTalk(deps, { clearLogin, connectionsPerToken })
  const server = new SubmissionServer({
    ...MANNERS,
    ...certificate,
    ...(proxies === undefined ? {} : { useProxy: proxies }),
    secure: address.tls === 'implicit',
    // Without a certificate of its own it would offer one whose key everybody knows.
    disabledCommands: certificate ? NO_COMMANDS : [...NO_COMMANDS, 'STARTTLS'],
    allowInsecureAuth: clearLogin,
    ...talk.handlers(() => server),
  })
  const listener = await listenSmtp(server, address)
  const forget = tls && certificate && keepCertificate(server, { tls, certificate, onError: deps.onError })
  return {
    ...listener,
    async close() {
      forget?.()
      const closed = listener.close()
      server.endIdle()
      await closed
    },
  }
}

const MANNERS: SMTPServerOptions = {
  banner: 'Postroom',
  authRequiredMessage: 'Authentication required',
  authMethods: ['PLAIN', 'LOGIN'],
  hideENHANCEDSTATUSCODES: false,
  disableReverseLookup: true,
  logger: false,
  minVersion: 'TLSv1.2',
  size: MAIL_BYTES_MAX,
  rejectOversized: true,
  maxClients: CONNECTIONS_MAX,
  socketTimeout: IDLE_TIMEOUT_MS,
  closeTimeout: CLOSE_TIMEOUT_MS,
}
