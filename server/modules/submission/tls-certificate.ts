import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { SMTPServer } from 'smtp-server'
import { MINUTE_MS } from '../../platform/durations.ts'
import type { TlsFiles } from './submission-setting.ts'

export type Certificate = { cert: string; key: string }

/** A certificate that was renewed is served within a minute. */
const LOOK_EVERY_MS = MINUTE_MS

/** A certificate that cannot be read or used, in one line that names the setting. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}

/** Reads certificate and key, and tries them: what is returned can be served. */
export async function readCertificate({ cert, key }: TlsFiles): Promise<Certificate> {
  const [certText, keyText] = await Promise.all([
    readPem('SUBMISSION_TLS_CERT', cert),
    readPem('SUBMISSION_TLS_KEY', key),
  ])
  const certificate = { cert: certText, key: keyText }
  try {
    createSecureContext(certificate)
  } catch (cause) {
    throw new CertificateError('SUBMISSION_TLS_CERT and SUBMISSION_TLS_KEY are no certificate and its key', { cause })
  }
  return certificate
}

type Kept = {
  tls: TlsFiles
  certificate: Certificate
  onError: (error: unknown) => void
  everyMs?: number
}

/**
 * Serves the certificate that is in the files, also after they have changed, to connections from then on. One that cannot be
 * used, as while only one of two files is written, leaves the one before in its place. Returns what ends that.
 */
export function keepCertificate(
  server: Pick<SMTPServer, 'updateSecureContext'>,
  { tls, certificate, onError, everyMs = LOOK_EVERY_MS }: Kept,
): () => void {
  let served = certificate
  const look = async () => {
    const found = await readCertificate(tls)
    if (found.cert === served.cert && found.key === served.key) return
    server.updateSecureContext(found)
    served = found
  }
  const timer = setInterval(() => void look().catch(onError), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function readPem(setting: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CertificateError(`${setting} ${path} cannot be read: ${cause.code ?? cause.message}`, { cause })
  })
}
