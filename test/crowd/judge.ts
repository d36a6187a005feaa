import type { Said } from './doer.ts'
import { judgeAudit } from './judge-audit.ts'
import { judgeDeliveries } from './judge-deliveries.ts'
import { judgeMail } from './judge-mail.ts'
import { judgeShown } from './judge-shown.ts'
import { judgeSums } from './judge-sums.ts'
import type { CrowdWorld } from './world.ts'

/** People of automations go one step after the other: six of them, whom all the crowd sends on, are late on a slow machine. */
const IS_LATE = /are not where they should be: overdue \d+"/

/** What does not hold once all work is done, in words; nothing when all does. */
export async function judge(world: CrowdWorld, said: readonly Said[]): Promise<string[]> {
  const logged = world.instance
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && !IS_LATE.test(line))
    .join('\n')
  const judged = await Promise.all([
    judgeSums(world),
    judgeShown(world),
    judgeAudit(world, said),
    judgeMail(world, said),
    judgeDeliveries(world),
  ])
  return [...judged.flat(), ...(logged === '' ? [] : [`the log has errors: ${logged}`])]
}
