// The steps of a wizard. On a phone only the current one has its name.
import { Stepper, Text } from "@mantine/core"
import { useWords } from "../words/Words.tsx"
import { useIsPhone } from "./phone.ts"

interface Step<Name extends string> {
  readonly name: Name
  readonly label: string
  /** Whether a click leads there. */
  readonly isOpen: boolean
}

interface Props<Name extends string> {
  readonly steps: ReadonlyArray<Step<Name>>
  readonly at: Name
  readonly onStep: (name: Name) => void
}

export const Steps = <Name extends string>({ at, onStep, steps }: Props<Name>) => {
  const words = useWords("shell")
  const isPhone = useIsPhone()
  const index = steps.findIndex(({ name }) => name === at)
  if (isPhone) {
    return (
      <Text size="sm" fw={600} mb="md" aria-current="step">
        {words.step(index + 1, steps.length)}: {steps[index]?.label}
      </Text>
    )
  }
  const go = (next: number) => {
    const step = steps[next]
    if (step?.isOpen === true) onStep(step.name)
  }
  return (
    <Stepper active={index} onStepClick={go} size="xs" iconSize={26} mb="lg" maw={760}>
      {steps.map(({ isOpen, label, name }) => (
        <Stepper.Step
          key={name}
          label={label}
          allowStepSelect={isOpen}
          {...(name === at ? { "aria-current": "step" } : {})}
        />
      ))}
    </Stepper>
  )
}
