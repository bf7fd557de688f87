// Why an attempt failed, in plain words. A code that this console does not know is shown as it is.
import { useWords } from "../words/Words.tsx"

export const useErrorText = () => {
  const { answered, errors } = useWords("webhooks")
  return (code: string, status: number | null): string => {
    if (code === "http_status" && status !== null) return answered(status)
    return Object.hasOwn(errors, code) ? errors[code as keyof typeof errors] : code
  }
}
