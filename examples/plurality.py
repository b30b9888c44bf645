"""Which of three letters has the most votes? A task of one's own, with a C-RASP program as its claim."""

from lengthwise.tasks import QuestionAnswerTask


class Plurality(QuestionAnswerTask):
    """The letter with the most votes; of several, the first in the alphabet."""

    program = """
    alphabet "a" "b" "c" "SEP" "EOS"
    a = #"a"
    b = #"b"
    c = #"c"
    next "a" = "SEP" && a >= b && a >= c
    next "b" = "SEP" && b > a && b >= c
    next "c" = "SEP" && c > a && c > b
    next "EOS" = exists[j < i] "SEP" && !"EOS"
    """

    def question(self, rng, length):
        return list(rng.choice(["a", "b", "c"], length))

    def answer(self, question):
        return max("abc", key=question.count)
