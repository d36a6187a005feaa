import type { Handing, Handover, Transport } from '../../server/modules/sending/transports/transport.ts'

export type SentMail = { to: string; raw: string }

export type ScriptedTransport = Transport & {
  /** Mails handed over, in the order of their ends. */
  readonly sent: readonly SentMail[]
  /** Handovers under way. */
  readonly underWay: number
  /** Decides what becomes of a message from now on; undefined is accepted. */
  script: (to: string, handing: Handing) => Handover | undefined | Promise<Handover | undefined>
}

/** A provider that does what the test says, and asks before the content as every transport must. */
export function scriptedTransport(concurrency = 5): ScriptedTransport {
  const sent: SentMail[] = []
  let underWay = 0
  const transport: ScriptedTransport = {
    provider: 'smtp',
    concurrency,
    sent,
    get underWay() {
      return underWay
    },
    script: () => undefined,
    async send(handing) {
      underWay++
      try {
        const to = handing.envelope.to[0]!
        const early = await transport.script(to, handing)
        if (early && early.outcome !== 'accepted' && early.outcome !== 'unanswered') return early
        if (!(await handing.beforeContent())) return { outcome: 'withdrawn' }
        sent.push({ to, raw: handing.bytes.toString() })
        return early ?? { outcome: 'accepted', providerMessageId: `p${sent.length}`, reply: '250 2.0.0 queued' }
      } finally {
        underWay--
      }
    },
    close: async () => undefined,
  }
  return transport
}
