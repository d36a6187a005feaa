import { wordsOf } from '../../lib/format.ts'
import type { WebhookDelivery } from '../../lib/site-types.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

type State = WebhookDelivery['state']

export const DELIVERY_STATES: readonly { state: State; name: string; tone: Tone; meaning: string }[] = [
  { state: 'pending', name: 'Pending', tone: 'info', meaning: 'It is on its way, or waits for its next attempt.' },
  { state: 'delivered', name: 'Delivered', tone: 'good', meaning: 'The receiver has acknowledged it.' },
  { state: 'discarded', name: 'Discarded', tone: 'bad', meaning: 'All ten attempts failed.' },
]

export function DeliveryState({ state }: { state: State }) {
  const { name, tone, meaning } = DELIVERY_STATES.find((one) => one.state === state)!
  return (
    <StatusBadge tone={tone} title={meaning}>
      {name}
    </StatusBadge>
  )
}

/** `200`, `connection: refused`, `No answer yet`: of the last attempt. */
export function answerText({ lastStatus, lastError, attempts }: WebhookDelivery): string {
  if (attempts === 0) return 'No attempt yet'
  if (lastStatus !== null) return String(lastStatus)
  return lastError === null ? 'No answer' : errorText(lastError)
}

/** `connection: ECONNREFUSED` as it is; `status_not_2xx` as words. */
export function errorText(error: string): string {
  return error.includes(':') ? wordsOf(error).replace(/:(?=\S)/, ': ') : wordsOf(error)
}
