// What all steps of the wizard get, and the buttons below a step.
import { Button, Group } from "@mantine/core"
import type { Blast } from "@tentpole/client"
import { useWords } from "../../words/Words.tsx"
import type { BlastSearch, WizardStep } from "../search.ts"

export interface StepProps {
  readonly blast: Blast
  readonly asked: BlastSearch
  readonly onAsked: (asked: BlastSearch) => void
  readonly onStep: (step: WizardStep) => void
}

interface NextProps {
  readonly back?: WizardStep
  readonly next: WizardStep
  readonly isReady: boolean
  readonly onStep: (step: WizardStep) => void
}

export const NextStep = ({ back, isReady, next, onStep }: NextProps) => {
  const words = useWords("shell")
  return (
    <Group mt="lg" gap="xs">
      {back !== undefined && (
        <Button variant="default" onClick={() => onStep(back)}>
          {words.back}
        </Button>
      )}
      <Button disabled={!isReady} onClick={() => onStep(next)}>
        {words.next}
      </Button>
    </Group>
  )
}
