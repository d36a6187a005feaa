import { ask, type DnsAnswer, failure, isNone, openRound } from './dns-round.ts'

/** Where a name leads. Asks anew at each call, never throws. */
export type HostLookup = {
  /** IPv4 and IPv6 together: one family's answer is enough. */
  addresses(name: string): Promise<DnsAnswer>
  /** Names of the mail servers (MX), the preferred first; one that is empty says that it takes no mail (RFC 7505). */
  exchanges(name: string): Promise<DnsAnswer>
}

/** Makes a look-up whose every call ends before a moment by `performance.now()`. */
export type HostResolver = (deadlineMs: number) => HostLookup

/** Of `servers` as `parseDnsServers` gives them, else of the system's. */
export function createHostResolver(options: { servers?: readonly string[] } = {}): HostResolver {
  return (deadlineMs) => {
    const { resolver, inTime } = openRound(options, deadlineMs)
    return {
      addresses: (name) =>
        inTime(name, async () => {
          const answers = await Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))])
          return answerOf(
            name,
            answers.flatMap((answer) => ('values' in answer ? answer.values : [])),
            answers,
          )
        }),
      exchanges: (name) =>
        inTime(name, async () => {
          const answer = await ask(resolver.resolveMx(name))
          const found = 'values' in answer ? answer.values.toSorted((a, b) => a.priority - b.priority) : []
          return answerOf(
            name,
            found.map(({ exchange }) => exchange.toLowerCase()),
            [answer],
          )
        }),
    }
  }
}

function answerOf(name: string, records: readonly string[], answers: readonly object[]): DnsAnswer {
  if (records.length > 0) return { outcome: 'found', records }
  const codes = answers.flatMap((answer) => ('code' in answer ? [String(answer.code)] : []))
  const failed = codes.find((code) => !isNone(code))
  return failed === undefined ? { outcome: 'none' } : failure(name, failed)
}
