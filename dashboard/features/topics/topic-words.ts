import type { Topic } from '../../lib/site-types.ts'

export type Visibility = Topic['visibility']
export type Subscription = Topic['subscription']

export const SUBSCRIPTIONS: Readonly<Record<Subscription, { short: string; long: string }>> = {
  everyone: { short: 'Until they say no', long: 'Everybody of the audience, until they say no' },
  opt_in: { short: 'Who subscribed', long: 'Only people who have subscribed to it' },
}
export const VISIBILITIES: Readonly<Record<Visibility, { short: string; long: string }>> = {
  public: { short: 'Everybody', long: 'Everybody, on their preference page' },
  private: { short: 'Its subscribers', long: 'Only people who have subscribed to it' },
}

export const optionsOf = (words: Readonly<Record<string, { long: string }>>) =>
  Object.entries(words).map(([value, { long }]) => ({ value, label: long }))
