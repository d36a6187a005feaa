/** An address that cannot be listened on, in one line that names the setting. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program uses it',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name has no address that could be looked up',
  EAI_FAIL: 'the name has no address that could be looked up',
  EAFNOSUPPORT: 'this machine has no addresses of that kind',
  EINVAL: 'it is no address to listen on',
}

/** The `ListenError` for a refusal of the system to listen; other errors come back as they are. */
export function explainListen(setting: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code = '' } = error as NodeJS.ErrnoException
  const reason = REASONS[code]
  return reason === undefined ? error : new ListenError(`${setting} cannot be listened on: ${reason}`, { cause: error })
}
