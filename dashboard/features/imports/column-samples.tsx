import classes from './imports.module.css'

/** Values of a column, none of them broken where it need not be. */
export function Samples({ values }: { values: readonly string[] }) {
  if (values.length === 0) return 'empty'
  return values.map((value, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: values may be alike, and stay where they are
    <span key={n} className={classes.sample}>
      {value}
    </span>
  ))
}
