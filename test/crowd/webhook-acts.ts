import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'

const of = (who: Doer) => `/webhooks/${idOf(who, 'endpoints')}`

export const webhookActs: Acts = {
  pauseEndpoint: { run: (who) => who.call('PATCH', of(who), { enabled: false }) },
  resumeEndpoint: { weight: 3, run: (who) => who.call('PATCH', of(who), { enabled: true }) },
  recover: {
    weight: 1,
    run: (who) => who.call('POST', `${of(who)}/recover`, { since: new Date(Date.now() - 60_000).toISOString() }),
  },
  resend: {
    weight: 1,
    run: async (who) => {
      const path = of(who)
      const { json } = await who.call('GET', `${path}/deliveries`)
      const delivery = who.pick((json?.items as { id: string }[]) ?? [])
      if (delivery) await who.call('POST', `${path}/deliveries/${delivery.id}/resend`)
    },
  },
  rotateSecret: { weight: 1, run: (who) => who.call('POST', `${of(who)}/rotate-secret`, {}) },
  testEndpoint: { weight: 1, run: (who) => who.call('POST', `${of(who)}/test`) },
  replaceEndpoint: {
    weight: 1,
    run: async (who) => {
      await who.call('DELETE', of(who))
      const answer = await who.call('POST', '/webhooks', { url: who.world.receiver.url })
      return keep(who, 'endpoints', { answer, max: 1 })
    },
  },
}
