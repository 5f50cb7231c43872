import torch
from torch import nn
import torch.nn.functional as F
from d2l import torch as d2l
import math

n_train = 50  # 训练样本数
x_train, _ = torch.sort(torch.rand(n_train) * 5)   
# * 5 的意思是从[0, 1]到[0, 5]
# 排序后的训练样本,默认升序 其中x是数据，_是每个元素在原始张量中的索引位置

def f(x):
    return 2 * torch.sin(x) + x**0.8

y_train = f(x_train) + torch.normal(0.0, 0.5, (n_train,))  # 训练样本的输出
x_test = torch.arange(0, 5, 0.1)  # 测试样本
y_truth = f(x_test)  # 测试样本的真实输出
n_test = len(x_test)  # 测试样本数

def plot_kernel_reg(y_hat):
    d2l.plot(x_test, [y_truth, y_hat], 'x', 'y', legend=['Truth', 'Pred'],
             xlim=[0, 5], ylim=[-1, 5])
    d2l.plt.plot(x_train, y_train, 'o', alpha=0.5);

# 我们先试试平均汇聚
y_hat = torch.repeat_interleave(y_train.mean(), n_test) #这样就变成了n_test个均值了 
plot_kernel_reg(y_hat)  # 注：样本由圆圈表示

# 基于高斯核的非参数注意力汇聚模型
# X_repeat的形状:(n_test,n_train),
# 每一行都包含着相同的测试输入（例如：同样的查询）
X_repeat = x_test.repeat_interleave(n_train).reshape((-1, n_train))  # 复制x_test，n_train次

# x_train包含着键。attention_weights的形状：(n_test,n_train),
# 每一行都包含着要在给定的每个查询的值（y_train）之间分配的注意力权重
attention_weights = F.softmax(-(X_repeat - x_train)**2 / 2, dim=1)

# y_hat的每个元素都是值的加权平均值，其中的权重是注意力权重
y_hat = torch.matmul(attention_weights, y_train)
plot_kernel_reg(y_hat)

# 可视化注意力的权重，纵坐标代表 query，横坐标代表 key，颜色代表权重值
d2l.show_heatmaps(attention_weights.unsqueeze(0).unsqueeze(0),  # unsqueeze 用来在指定的位置添加一个维度（将张量的形状增加一个维度）
                  xlabel='Sorted training inputs',
                  ylabel='Sorted testing inputs')

X = torch.ones((2, 1, 4))
Y = torch.ones((2, 4, 6))

# bmm - batch matrix multiplication
torch.bmm(X, Y).shape

weights = torch.ones((2, 10)) * 0.1
values = torch.arange(20.0).reshape((2, 10))

# unsqueeze 用来在指定的位置添加一个维度（将张量的形状增加一个维度）
# weights.unsqueeze(1) -> (2, 1, 10)
# values.unsqueeze(-1) -> (2, 10, 1)
torch.bmm(weights.unsqueeze(1), values.unsqueeze(-1))  # (2, 1, 10) * (2, 10, 1) -> (2, 1, 1)

class NWKernelRegression(nn.Module):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = nn.Parameter(torch.rand((1,), requires_grad=True))  # 模型中的可训练参数self.w 是一个标量，用于调节核的宽度或“敏感度”

    def forward(self, queries, keys, values):
        # queries 和 attention_weights 的形状为 (查询个数，“键－值”对个数)
        queries = queries.repeat_interleave(keys.shape[1]).reshape((-1, keys.shape[1]))  # 每个 query 被复制了“键－值”对个数次后 reshape
        self.attention_weights = nn.functional.softmax(-((queries - keys) * self.w)**2 / 2, dim=1)  # dim=1 指定沿着键－值对的维度进行 softmax
        # 注：self.w 是一个标量，标量 w 与向量 (queries - keys) 相乘，调整 attention_weights 的分布

        # values 的形状为 (查询个数，“键－值”对个数)
        # 返回值的形状为 (查询个数, 1, 1)
        return torch.bmm(self.attention_weights.unsqueeze(1),  # -> (查询个数, 1, 键－值对个数)
                         values.unsqueeze(-1)).reshape(-1)  # -> (查询个数, 键－值对个数, 1)

# 效果示例
queries = torch.tensor([1, 2])  # 假设查询个数为 2，“键－值”对个数为 3
queries.repeat_interleave(3).reshape(-1, 3)

# X_tile 形状:(n_train，n_train)，每一行都包含着相同的训练输入
X_tile = x_train.repeat((n_train, 1))  # x_train 被重复 n_train 次
# Y_tile 形状:(n_train，n_train)，每一行都包含着相同的训练输出
Y_tile = y_train.repeat((n_train, 1))

# keys 形状:('n_train'，'n_train'-1)
# torch.eye 生成单位矩阵
# 去掉对角线元素（即只保留自己之外的元素），并 reshape
keys = X_tile[(1 - torch.eye(n_train)).type(torch.bool)].reshape((n_train, -1))
# values 形状:('n_train'，'n_train'-1)
values = Y_tile[(1 - torch.eye(n_train)).type(torch.bool)].reshape((n_train, -1))

net = NWKernelRegression()
loss = nn.MSELoss(reduction='none')
trainer = torch.optim.SGD(net.parameters(), lr=0.5)
animator = d2l.Animator(xlabel='epoch', ylabel='loss', xlim=[1, 5])

for epoch in range(5):
    trainer.zero_grad()
    l = loss(net(x_train, keys, values), y_train)  # x_train 为查询(queries)，keys 和 values 为键值对
    l.sum().backward()
    trainer.step()
    print(f'epoch {epoch + 1}, loss {float(l.sum()):.6f}')
    animator.add(epoch + 1, float(l.sum()))

# keys 形状: (n_test，n_train)，每一行包含着相同的训练输入（例如，相同的键）
keys = x_train.repeat((n_test, 1))
print(keys)

# values 形状: (n_test，n_train)
values = y_train.repeat((n_test, 1))
print(values)

# 在测试集上进行预测
y_hat = net(x_test, keys, values).unsqueeze(1).detach()  # x_test 为查询(queries)，keys 和 values 为键值对

plot_kernel_reg(y_hat)

d2l.show_heatmaps(net.attention_weights.unsqueeze(0).unsqueeze(0),
                  xlabel='Sorted training inputs',
                  ylabel='Sorted testing inputs')

print(net.attention_weights.shape)
# 查看可训练参数 w
net.w  # 起到了扩大查询点周围权重的作用（指数函数特性--爆炸增长）
