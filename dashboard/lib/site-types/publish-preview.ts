// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { AutomationPublishBody } from './shared.ts'

export type AutomationInsideFates = {
  /** People in older versions; the sum of the others. */ inside: number
  /** Keep their place, in the new version. */ keep: number
  /** Come to another node, as `map` says. */ move: number
  leave: number
  /** Stay in the version they are in. */ stay: number
  /** Stand at a node that is no more. Publishing is refused until `map` says where they go on. */ homeless: number
}

export type AutomationMailsAhead = {
  /** Whichever ways they go, provided that they may be mailed and that nothing takes them out. */ atLeast: number
  /** On the ways with the most mails and the shortest times, as zones and dates are now. Null: somebody may go in a circle that has no bound. */ atMost: number | null
}

export type AutomationNextDay = {
  /** Timers that end within 24 hours as it stands. */ timersBefore: number
  /** The same once it is published. */ timersAfter: number
  /** Mails that those inside get within 24 hours: as it stands, or once it is published. */ mailsBefore: AutomationMailsAhead
  /** Mails that those inside get within 24 hours: as it stands, or once it is published. */ mailsAfter: AutomationMailsAhead
  /** Reckoned from the first 2,000 people of a node. */ isEstimate: boolean
}

export type AutomationNodeDiff = {
  node: string
  change: 'added' | 'removed' | 'changed' | 'same'
  /** Those that differ. */ fields: Array<string>
  /** Who stands there, in an older version. */ people: number
  /** The newest version in which somebody stands there; null for nobody. */ version: number | null
  /** What becomes of them; null for nobody. */ fate: 'keeps' | 'moves' | 'leaves' | 'stays' | 'homeless' | null
  /** Where they go on, of the new version. */ to: string | null
  nextDay: AutomationNextDay
}

export type AutomationPublishFault = {
  pointer: string
  detail: string
}

export type AutomationPublishPreview = {
  /** Whether there would be a new version; else only those in older ones are concerned. */ publishes: boolean
  /** Parts beside the nodes that differ. */ parts: Array<string>
  people: AutomationInsideFates
  nextDay: AutomationNextDay
  nodes: Array<AutomationNodeDiff>
  /** For which publishing would be refused. */ faults: Array<AutomationPublishFault>
}

export type PublishPreviewOperations = {
  'POST /automations/{id}/publish-preview': {
    params: { id: string }
    query: undefined
    body: AutomationPublishBody
    answer: AutomationPublishPreview
  }
}
