import { useSite } from '../../lib/use-site.ts'
import { Checkbox } from '../../ui/controls.tsx'
import classes from './imports.module.css'

const TOPICS_MAX = 200

/** Topics that everybody in the file who agreed is subscribed to; nothing is shown where there are none. */
export function TopicChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (ids: string[]) => void }) {
  const topics = useSite('GET /topics', { query: { pageSize: TOPICS_MAX } })
  const items = topics.data?.items ?? []
  if (items.length === 0) return null
  return (
    <fieldset className={classes.topics}>
      <legend className="field-label">Topics that they said yes to</legend>
      {items.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
          }
        />
      ))}
      <span className="soft">
        Only people who agreed are subscribed, and nobody who has left the topic or your newsletters.
      </span>
    </fieldset>
  )
}
