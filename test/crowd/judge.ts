import type { Said } from './doer.ts'
import { type Hardships, leavesMailUncertain } from './hardships.ts'
import { judgeApprovals } from './judge-approvals.ts'
import { judgeAudit } from './judge-audit.ts'
import { judgeDeliveries } from './judge-deliveries.ts'
import { judgeExports } from './judge-exports.ts'
import { judgeLetters } from './judge-letters.ts'
import { judgeMail } from './judge-mail.ts'
import { judgeRights } from './judge-rights.ts'
import { judgeShown } from './judge-shown.ts'
import { judgeSums } from './judge-sums.ts'
import type { CrowdWorld } from './world.ts'

/** People of automations go one step after the other: six of them, whom all the crowd sends on, are late on a slow machine. */
const IS_LATE = /are not where they should be: (?:(?:overdue|unlooked) \d+(?:, )?)+"/
const IS_KILL = /"signal":"SIGKILL".*a process has ended and is started again/

/** What does not hold once all work is done, in words; nothing when all does. */
export async function judge(world: CrowdWorld, said: readonly Said[], hardships: Hardships): Promise<string[]> {
  const { actsPerKill } = hardships
  const logged = world.instance
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && !IS_LATE.test(line))
    .filter((line) => actsPerKill === undefined || !IS_KILL.test(line))
    .join('\n')
  const judged = await Promise.all([
    judgeSums(world),
    judgeShown(world),
    judgeAudit(world, said),
    judgeMail(world, said, leavesMailUncertain(hardships)),
    judgeLetters(world, said),
    judgeDeliveries(world),
    judgeApprovals(world),
    judgeExports(world, said),
    judgeRights(said),
  ])
  return [...judged.flat(), ...(logged === '' ? [] : [`the log has errors: ${logged}`])]
}
