"""Adam (Kingma and Ba, arXiv:1412.6980) on a list of tracked leaves."""

import tenferro as tf


class Adam:
    """`parameters` holds the present leaves; every step puts new ones in their place."""

    def __init__(self, parameters: list[tf.EagerTensor], beta1: float = 0.9, beta2: float = 0.99) -> None:
        self.parameters = parameters
        self.beta1 = beta1
        self.beta2 = beta2
        self.steps: int = 0
        self.mean: list[tf.EagerTensor] = [tf.zeros(p.shape) for p in parameters]
        self.square: list[tf.EagerTensor] = [tf.zeros(p.shape) for p in parameters]

    def step(self, gradients: tf.Gradients, rate: float) -> None:
        self.steps += 1
        mean_scale = 1.0 / (1.0 - self.beta1**self.steps)
        square_scale = 1.0 / (1.0 - self.beta2**self.steps)
        with tf.no_grad():
            for k, parameter in enumerate(self.parameters):
                g = gradients[parameter]
                mean = self.mean[k] = self.mean[k] + (1.0 - self.beta1) * (g - self.mean[k])
                square = self.square[k] = self.square[k] + (1.0 - self.beta2) * (g * g - self.square[k])
                change = (mean_scale * mean) / ((square_scale * square).sqrt() + 1e-8)
                self.parameters[k] = (parameter - rate * change).as_leaf()
