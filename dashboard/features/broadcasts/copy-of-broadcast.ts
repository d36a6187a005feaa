import { countText } from '../../lib/format.ts'
import { isProblem } from '../../lib/problem.ts'
import type { Written } from './broadcast-draft.ts'

/** A copy without what is gone, and what that is, in words; `isForOthers` where it would go to others than what it is a copy of. */
export type Remaining = { copy: Written; gone: readonly string[]; isForOthers: boolean }

/** What remains of a copy that is refused for what its workspace does not have any more; undefined when that is not all that is wrong. */
export function remainingOf(copy: Written, refusal: unknown): Remaining | undefined {
  if (!isProblem(refusal, 422)) return undefined
  const pointers = new Set(refusal.errors.map(({ pointer }) => pointer))
  const isGone = (pointer: string) => pointers.delete(pointer)
  const without = (list: 'segmentIds' | 'excludedSegmentIds') => copy[list].filter((_, n) => !isGone(`/${list}/${n}`))
  const isIntegrationGone = isGone('/integrationId')
  const isTopicGone = isGone('/topicId')
  const segmentIds = without('segmentIds')
  const excludedSegmentIds = without('excludedSegmentIds')
  if (pointers.size > 0) return undefined
  const to = copy.segmentIds.length - segmentIds.length
  const notTo = copy.excludedSegmentIds.length - excludedSegmentIds.length
  return {
    copy: {
      ...copy,
      ...(isIntegrationGone && { integrationId: null }),
      ...(isTopicGone && { topicId: null }),
      ...{ segmentIds, excludedSegmentIds },
    },
    gone: [
      ...(isIntegrationGone ? ['the integration it went through'] : []),
      ...(isTopicGone ? ['its topic'] : []),
      ...(to > 0 ? [`${countText(to, 'segment')} that it went to`] : []),
      ...(notTo > 0 ? [`${countText(notTo, 'segment')} that ${notTo === 1 ? 'was' : 'were'} left out`] : []),
    ],
    isForOthers: isTopicGone || to + notTo > 0,
  }
}

/** What is said of such a copy. */
export function copiedText({ copy, gone, isForOthers }: Remaining): string {
  const everybody = copy.segmentIds.length === 0 ? ': as it is, to everybody' : ''
  return `A copy without what is gone: ${gone.join(', ')}.${isForOthers ? ` It goes to others now${everybody}.` : ''}`
}
