import { agentActs } from './agent-acts.ts'
import { approvalActs } from './approval-acts.ts'
import { automationActs } from './automation-acts.ts'
import { browserActs } from './browser-acts.ts'
import { consentActs } from './consent-acts.ts'
import { contactActs } from './contact-acts.ts'
import type { Doer } from './doer.ts'
import { feedbackActs } from './feedback-acts.ts'
import { mailActs } from './mail-acts.ts'
import { rightsActs } from './rights-acts.ts'
import { templateActs } from './template-acts.ts'
import { webhookActs } from './webhook-acts.ts'

/** An act that somebody of the crowd may do next, by its name: the likelier the larger its weight. */
export type Acts = Record<string, { weight?: number; run(who: Doer): Promise<unknown> }>

export const ACTS: Acts = {
  ...contactActs,
  ...consentActs,
  ...mailActs,
  ...approvalActs,
  ...rightsActs,
  ...feedbackActs,
  ...automationActs,
  ...templateActs,
  ...agentActs,
  ...webhookActs,
  ...browserActs,
}

const WEIGHED = Object.entries(ACTS).flatMap(([name, { weight = 2 }]) => Array.from({ length: weight }, () => name))

export function nextAct(who: Doer): string {
  return who.pick(WEIGHED)
}
